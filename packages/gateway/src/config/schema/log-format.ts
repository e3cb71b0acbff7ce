// The formats of the log.

/** The format of log entries: "text" for people, "json" for programs. */
export type LogFormat = "text" | "json";

/** Every log format. */
export const logFormats: readonly LogFormat[] = ["text", "json"];

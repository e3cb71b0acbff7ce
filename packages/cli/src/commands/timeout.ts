// `--timeout SECONDS` and `--start-timeout SECONDS`, kept in ms.
import { CommandError } from "../exit-code.ts";

/** A day: a timer of Node holds 24 of them, and a person waits for none. */
const maxSeconds = 86_400;

export const parseTimeout = (text: string): number => parseSeconds("--timeout", text);

export const parseStartTimeout = (text: string): number => parseSeconds("--start-timeout", text);

/** How long a server that is started may take to its first answer: `npx` or `docker run` may have to download it. */
export const defaultStartTimeoutMs = 60_000;

export const startTimeoutHelp = "for a server that is started: how long it may take to its first answer (default: 60)";

export const eraHelp = "which era to speak: auto asks the server";

export const eras = ["auto", "modern", "legacy"] as const;

function parseSeconds(option: string, text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0 && seconds <= maxSeconds)) {
    throw new CommandError(`${option} must be a number of seconds above 0 and up to ${maxSeconds}, got "${text}"`);
  }
  return seconds * 1000;
}

// The one error whose message an author writes for the caller to read.

/**
 * Thrown by a tool: the message becomes an `isError` text that the model sees (E-70). Anything else that is thrown stays
 * in the log, and the caller gets an error id.
 */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolError";
  }
}

/** True for a ToolError of any copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return value instanceof ToolError || (value instanceof Error && value.name === "ToolError");
}

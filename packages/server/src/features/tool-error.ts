// The error whose message the caller may read.

/**
 * Throw it in a tool handler to tell the caller why the call failed: the message becomes the text of an `isError` result, which the
 * model sees. Any other error is logged, and the caller gets only its error id.
 *
 * @example
 * import { createServer, ToolError } from "@lethe/server";
 *
 * const server = createServer({ name: "files", version: "1.0.0" });
 * server.tool("read", {
 *   handler() {
 *     throw new ToolError("the file is locked; retry in a minute");
 *   },
 * });
 */
export class ToolError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolError";
  }
}

/**
 * Whether `value` is a ToolError, also one of another copy of this package.
 *
 * @example
 * import { isToolError, ToolError } from "@lethe/server";
 *
 * console.log(isToolError(new ToolError("locked"))); // true
 */
export function isToolError(value: unknown): value is ToolError {
  return value instanceof ToolError || (value instanceof Error && value.name === "ToolError");
}

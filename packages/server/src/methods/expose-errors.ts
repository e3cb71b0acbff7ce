// Lets callers read the message of every error that a handler throws.
import { isMcpError } from "@lethe/protocol";
import { ToolError } from "../features/tool-error.ts";
import { callerMessageOf } from "./caller-message.ts";

/**
 * Wraps a tool handler so that callers read the message of every error that it throws, as with other MCP libraries. Without it, they
 * get an error id, and the message stays in the log. Use it only where error messages contain no secrets, such as connection strings.
 *
 * @example
 * import { createServer, exposeErrors } from "@lethe/server";
 *
 * const server = createServer({ name: "files", version: "1.0.0" });
 * server.tool("read", {
 *   handler: exposeErrors(() => {
 *     throw new Error("no such file"); // the model reads "no such file"
 *   }),
 * });
 */
export function exposeErrors<Args extends readonly unknown[], Returned>(
  handler: (...args: Args) => Returned | Promise<Returned>,
): (...args: Args) => Promise<Returned> {
  return async (...args) => {
    try {
      return await handler(...args);
    } catch (error) {
      if (isMcpError(error) || callerMessageOf(error) !== undefined) throw error;
      throw new ToolError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  };
}

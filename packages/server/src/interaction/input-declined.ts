// The error of an elicitation that the user declined or cancelled (E-87).

/**
 * `ctx.elicit` and `ctx.elicitUrl` throw it when the user declines or cancels; `action` says which. An uncaught InputDeclined becomes
 * an `isError` result with its message.
 *
 * @example
 * import { InputDeclined } from "@lethe/server";
 *
 * console.log(new InputDeclined("decline").action); // decline
 */
export class InputDeclined extends Error {
  readonly action: "decline" | "cancel";

  constructor(action: "decline" | "cancel") {
    super(action === "decline" ? "the user declined to answer" : "the user dismissed the input request");
    this.name = "InputDeclined";
    this.action = action;
  }
}

/**
 * Whether `value` is an InputDeclined, also one of another copy of this package.
 *
 * @example
 * import { createServer, isInputDeclined } from "@lethe/server";
 *
 * const server = createServer({ name: "files", version: "1.0.0" });
 * server.tool("delete", {
 *   async handler(_, ctx) {
 *     try {
 *       await ctx.elicit("Delete all files?", { type: "object", properties: {} });
 *       return "Deleted.";
 *     } catch (error) {
 *       if (isInputDeclined(error)) return "Kept.";
 *       throw error;
 *     }
 *   },
 * });
 */
export function isInputDeclined(value: unknown): value is InputDeclined {
  return value instanceof InputDeclined || (value instanceof Error && value.name === "InputDeclined");
}

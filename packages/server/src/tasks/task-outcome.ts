// How a run ended, and what that makes of its task (F-12).
import {
  type CallToolResult,
  errorCode,
  isInputRequired,
  type JsonObject,
  McpError,
  type Result,
  toErrorObject,
} from "@lethe/protocol";
import type { TaskEnd } from "./task-state.ts";

export type Outcome =
  | { readonly result: Result; readonly error?: undefined }
  | { readonly error: McpError; readonly result?: undefined };

/** Never rejects. */
export function outcomeOf(running: Promise<Result>): Promise<Outcome> {
  return running.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: McpError.from(error) }),
  );
}

export function resultOf({ result, error }: Outcome): Result {
  if (error) throw error;
  return result;
}

/** Worth keeping although the handler was stopped: it had come to an end of its own. */
export function isOwnEnd({ result }: Outcome): boolean {
  return result !== undefined && (isInputRequired(result) || (result as CallToolResult).isError !== true);
}

/**
 * The task ends as the call would have ended: only an error of the protocol fails it, not one of the tool (F-12). Throws
 * TypeError for a result that is no JSON.
 */
export function toTaskEnd({ result, error }: Outcome, maxResultBytes: number): TaskEnd {
  if (error) return { status: "failed", error: toErrorObject(error) };
  const text = JSON.stringify(result);
  const size = new TextEncoder().encode(text).length;
  if (size <= maxResultBytes) return { status: "completed", result: JSON.parse(text) as JsonObject };
  const message = `the result has ${size} bytes, at most ${maxResultBytes} are kept`;
  return { status: "failed", error: { code: errorCode.internalError, message } };
}

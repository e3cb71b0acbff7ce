// Converts the outcome of a run to the end of its task (F-12).
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

/** Whether the handler had ended by itself before it was stopped; its result is then kept. */
export function isOwnEnd({ result }: Outcome): boolean {
  return result !== undefined && (isInputRequired(result) || (result as CallToolResult).isError !== true);
}

/**
 * The task ends as the call would: only a protocol error fails it, not a tool error. Throws
 * TypeError for a result that is not JSON.
 */
export function toTaskEnd({ result, error }: Outcome, maxResultBytes: number): TaskEnd {
  const failure = error && toErrorObject(error);
  const text = JSON.stringify(failure ?? result);
  const size = new TextEncoder().encode(text).length;
  if (size > maxResultBytes) {
    const message = `the ${error ? "error" : "result"} has ${size} bytes, at most ${maxResultBytes} are kept`;
    return { status: "failed", error: { code: error?.code ?? errorCode.internalError, message } };
  }
  if (failure) return { status: "failed", error: failure };
  return { status: "completed", result: JSON.parse(text) as JsonObject };
}

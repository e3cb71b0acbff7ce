// Which errors a caller may read.
import { isToolError } from "../features/tool-error.ts";
import { isInputDeclined } from "../interaction/input-declined.ts";

/** Undefined for an error that stays in the log. */
export function callerMessageOf(error: unknown): string | undefined {
  return isToolError(error) || isInputDeclined(error) ? error.message : undefined;
}

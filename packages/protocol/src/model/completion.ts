// Completion (E-60): completion/complete for prompt arguments and template variables.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Result } from "../meta/result.ts";
import { expectObject, expectOptionalObject, expectString, unexpected } from "./expect.ts";
import { parseStringMap } from "./prompts.ts";

/** The prompt or resource template whose argument is completed. */
export type CompletionReference = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

/** Params of completion/complete. */
export interface CompleteParams {
  ref: CompletionReference;
  argument: { name: string; value: string };
  context?: { arguments?: { [name: string]: string } };
}

// E-60
/** The maximum number of values in one result. */
export const maxCompletionValues = 100;

/** The result of completion/complete. */
export interface CompleteResult extends Result {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}

/** Throws McpError -32602 for malformed params. */
export function parseCompleteParams(params: JsonObject): CompleteParams {
  const argument = expectObject(params, "argument");
  const complete: CompleteParams = {
    ref: parseReference(expectObject(params, "ref")),
    argument: { name: expectString(argument, "name"), value: expectString(argument, "value") },
  };
  const context = expectOptionalObject(params, "context");
  const args = context && parseStringMap(context, "arguments");
  if (args) complete.context = { arguments: args };
  return complete;
}

function parseReference(ref: JsonObject): CompletionReference {
  if (ref.type === "ref/prompt") return { type: "ref/prompt", name: expectString(ref, "name") };
  if (ref.type === "ref/resource") return { type: "ref/resource", uri: expectString(ref, "uri") };
  throw unexpected("ref.type", '"ref/prompt" or "ref/resource"', ref.type);
}

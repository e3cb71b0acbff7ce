// The params of a modern request, as a legacy server takes them (D-51).
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ProgressToken, RequestMeta, RequestParams } from "../meta/envelope.ts";
import { metaKey } from "../meta/keys.ts";

const envelopeKeys: ReadonlySet<string> = new Set(Object.values(metaKey));

/**
 * Without the envelope, which the handshake replaces, without the answers to questions, which travel as responses, and
 * without a leftover `task`, which would make a task of the call again (F-2).
 * `progressToken` is the one to use on this connection: the caller's own never leaves (J-55). Undefined for no params.
 */
export function toLegacyParams(params: RequestParams, progressToken?: ProgressToken): JsonObject | undefined {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params;
  const meta = toLegacyMeta(_meta, progressToken);
  if (meta) return { ...rest, _meta: meta };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Trace context and a caller's own keys stay, whatever they are called: "__proto__" is a key like any other. */
function toLegacyMeta(modern: RequestMeta, progressToken: ProgressToken | undefined): JsonObject | undefined {
  const kept = Object.entries(modern).filter(([key]) => key !== "progressToken" && !envelopeKeys.has(key));
  if (progressToken !== undefined) kept.push(["progressToken", progressToken]);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

// The params of a modern request, as a legacy server takes them (D-51).
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ProgressToken, RequestMeta, RequestParams } from "../meta/envelope.ts";
import { modernMetaKeys } from "../meta/keys.ts";

/**
 * Without the envelope, which the handshake replaces, without the answers to questions, which travel as responses, and
 * without a leftover `task`, which would make a task of the call again (F-2).
 * `progressToken` is the one to use on this connection: the caller's own never leaves (J-55). Undefined for no params.
 */
export function toLegacyParams(params: RequestParams, progressToken?: ProgressToken): JsonObject | undefined {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params;
  const meta = toLegacyMeta(_meta, progressToken);
  if (meta) return { _meta: meta, ...rest };
  return isEmpty(rest) ? undefined : rest;
}

/** Trace context and a caller's own keys stay, whatever they are called: "__proto__" is a key like any other. */
function toLegacyMeta(modern: RequestMeta, progressToken: ProgressToken | undefined): JsonObject | undefined {
  const own = hasOwnKeys(modern) ? Object.fromEntries(Object.entries(modern).filter(([key]) => isOwn(key))) : undefined;
  return progressToken === undefined ? own : { progressToken, ...own };
}

/** Few requests have any. */
function hasOwnKeys(meta: RequestMeta): boolean {
  for (const key in meta) if (isOwn(key)) return true;
  return false;
}

function isOwn(key: string): boolean {
  return key !== "progressToken" && !modernMetaKeys.has(key);
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

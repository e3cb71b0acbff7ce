// Request params of 2025-11-25: the handshake takes the place of the envelope, and input responses are messages of their own.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ProgressToken, RequestMeta, RequestParams } from "../../meta/envelope.ts";
import { metaKey, modelMetaKeys, modelRevision } from "../../meta/keys.ts";
import type { SessionEnvelope } from "../revision.ts";

// E-24, D-38
/** The client itself cannot set members of an envelope, of a retry or of a task augmentation. */
export function fromClientParams(
  _method: string,
  params: JsonObject | undefined,
  session: SessionEnvelope,
): RequestParams {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params ?? {};
  return { _meta: toEnvelope(_meta, session), ...rest };
}

//
/** Keeps the progress token, the trace context and the client's own keys, also a key "__proto__". */
function toEnvelope(own: unknown, { capabilities, clientInfo, logLevel }: SessionEnvelope): RequestMeta {
  // Members that we add stand before the spread: see ARCHITECTURE.md.
  const meta: JsonObject = {
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: capabilities,
    [metaKey.clientInfo]: clientInfo,
    [metaKey.logLevel]: logLevel,
    ...(isJsonObject(own) ? withoutEnvelope(own) : undefined),
  };
  if (!clientInfo) delete meta[metaKey.clientInfo];
  if (logLevel === undefined) delete meta[metaKey.logLevel];
  return meta as RequestMeta;
}

/** Copies only if there is something to remove, which is rare. */
function withoutEnvelope(meta: JsonObject): JsonObject {
  let own = meta;
  for (const key of modelMetaKeys) {
    if (!(key in own)) continue;
    if (own === meta) own = { ...meta };
    delete own[key];
  }
  return own;
}

// F-2, J-55
/**
 * Drops the envelope and the input responses. Drops a leftover `task` too, which would make the call a task again. The
 * caller's own progress token stays in this process.
 */
export function toServerParams(
  _method: string,
  params: RequestParams,
  progressToken?: ProgressToken,
): JsonObject | undefined {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params;
  const meta = withoutModelKeys(_meta, progressToken);
  if (meta) return { _meta: meta, ...rest };
  return isEmpty(rest) ? undefined : rest;
}

//
/** Keeps the trace context and the caller's own keys, also a key "__proto__". */
function withoutModelKeys(meta: RequestMeta, progressToken: ProgressToken | undefined): JsonObject | undefined {
  const own = hasOwnKeys(meta) ? Object.fromEntries(Object.entries(meta).filter(([key]) => isOwnKey(key))) : undefined;
  return progressToken === undefined ? own : { progressToken, ...own };
}

/** False for most requests. */
function hasOwnKeys(meta: RequestMeta): boolean {
  for (const key in meta) if (isOwnKey(key)) return true;
  return false;
}

function isOwnKey(key: string): boolean {
  return key !== "progressToken" && !modelMetaKeys.has(key);
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}

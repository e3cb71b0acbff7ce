// The params of a legacy request, as the modern core takes them (D-50).
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../meta/capabilities.ts";
import type { RequestMeta, RequestParams } from "../meta/envelope.ts";
import { metaKey, modernMetaKeys, modernRevision } from "../meta/keys.ts";

/** What a session knows of its client, and a modern request says each time. */
export interface LegacyEnvelope {
  readonly capabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  readonly logLevel?: string | undefined;
}

/** Nothing of an envelope, of a retry (E-24) or of core tasks (D-38) is taken from the client itself. */
export function toModernParams(params: JsonObject | undefined, envelope: LegacyEnvelope): RequestParams {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params ?? {};
  return { _meta: toModernMeta(_meta, envelope), ...rest };
}

/** The progress token, the trace context and a client's own keys stay, "__proto__" as a key like any other. */
function toModernMeta(legacy: unknown, { capabilities, clientInfo, logLevel }: LegacyEnvelope): RequestMeta {
  // All that we add stands before the spread: see ARCHITECTURE.md.
  const meta: JsonObject = {
    [metaKey.protocolVersion]: modernRevision,
    [metaKey.clientCapabilities]: capabilities,
    [metaKey.clientInfo]: clientInfo,
    [metaKey.logLevel]: logLevel,
    ...(isJsonObject(legacy) ? withoutEnvelope(legacy) : undefined),
  };
  if (!clientInfo) delete meta[metaKey.clientInfo];
  if (logLevel === undefined) delete meta[metaKey.logLevel];
  return meta as RequestMeta;
}

/** Few clients say any of it. */
function withoutEnvelope(legacy: JsonObject): JsonObject {
  let own = legacy;
  for (const key of modernMetaKeys) {
    if (!(key in own)) continue;
    if (own === legacy) own = { ...legacy };
    delete own[key];
  }
  return own;
}

// The params of a legacy request, as the modern core takes them (D-50).
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "../meta/capabilities.ts";
import type { RequestMeta, RequestParams } from "../meta/envelope.ts";
import { metaKey, modernRevision } from "../meta/keys.ts";

/** What a session knows of its client, and a modern request says each time. */
export interface LegacyEnvelope {
  readonly capabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  readonly logLevel?: string | undefined;
}

const envelopeKeys: ReadonlySet<string> = new Set(Object.values(metaKey));

/** Nothing of an envelope, of a retry (E-24) or of core tasks (D-38) is taken from the client itself. */
export function toModernParams(params: JsonObject | undefined, envelope: LegacyEnvelope): RequestParams {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params ?? {};
  return { ...rest, _meta: toModernMeta(_meta, envelope) };
}

/** The progress token, the trace context and a client's own keys stay. */
function toModernMeta(legacy: unknown, { capabilities, clientInfo, logLevel }: LegacyEnvelope): RequestMeta {
  const meta: RequestMeta = {
    [metaKey.protocolVersion]: modernRevision,
    [metaKey.clientCapabilities]: capabilities,
  };
  if (clientInfo) meta[metaKey.clientInfo] = clientInfo;
  if (logLevel !== undefined) meta[metaKey.logLevel] = logLevel;
  if (!isJsonObject(legacy)) return meta;
  for (const key in legacy) if (!envelopeKeys.has(key)) meta[key] = legacy[key];
  return meta;
}

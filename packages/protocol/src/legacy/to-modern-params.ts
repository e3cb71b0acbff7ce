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

/** Of an envelope: those that a session may say nothing for. */
const optionalKeys = [metaKey.clientInfo, metaKey.logLevel, metaKey.serverInfo, metaKey.subscriptionId] as const;

/** Nothing of an envelope, of a retry (E-24) or of core tasks (D-38) is taken from the client itself. */
export function toModernParams(params: JsonObject | undefined, envelope: LegacyEnvelope): RequestParams {
  const { _meta, inputResponses: _, requestState: __, task: ___, ...rest } = params ?? {};
  return { ...rest, _meta: toModernMeta(_meta, envelope) };
}

/** The progress token, the trace context and a client's own keys stay, "__proto__" as a key like any other. */
function toModernMeta(legacy: unknown, { capabilities, clientInfo, logLevel }: LegacyEnvelope): RequestMeta {
  const meta: RequestMeta = {
    ...(isJsonObject(legacy) ? legacy : undefined),
    [metaKey.protocolVersion]: modernRevision,
    [metaKey.clientCapabilities]: capabilities,
  };
  for (const key of optionalKeys) delete meta[key];
  if (clientInfo) meta[metaKey.clientInfo] = clientInfo;
  if (logLevel !== undefined) meta[metaKey.logLevel] = logLevel;
  return meta;
}

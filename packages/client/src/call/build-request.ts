// Builds modern requests: ids from 1 (J-20) and the `_meta` envelope (A.2). The counterpart is process-response.ts.
import {
  type ClientCapabilities,
  type Implementation,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  type LogLevel,
  type ModernRequest,
  metaKey,
  type ProgressToken,
  type RequestMeta,
} from "@lethe/protocol";

/** What a client declares in every request. */
export interface Envelope {
  /** Absent if the client stays anonymous. */
  clientInfo?: Implementation;
  /** The capabilities of the client. */
  capabilities: ClientCapabilities;
  /** The revision of the requests, such as "2026-07-28". */
  revision: string;
}

/** W3C Trace Context and Baggage of the caller's span. */
export interface TraceHeaders {
  traceparent?: string;
  tracestate?: string;
  baggage?: string;
}

export const knownTraceHeaders: KnownOptions<TraceHeaders> = { traceparent: true, tracestate: true, baggage: true };

/** Additions to the envelope of one request. */
export interface RequestExtras {
  /** Requests progress notifications with this token. Default: none are requested. */
  progressToken?: ProgressToken;
  /** The least severe level of the log messages that are requested. Default: none are requested. */
  logLevel?: LogLevel;
  /** The trace context of the caller. Default none. */
  trace?: TraceHeaders;
}

/** Builds the requests of one connection. */
export interface RequestBuilder {
  /**
   * Builds a request with the next id. Takes ownership of `params`. Members of its `_meta` are kept, but the envelope
   * takes precedence.
   */
  build(method: string, params: JsonObject, extras?: RequestExtras): ModernRequest;
}

/**
 * Creates a builder of requests for one connection. Ids start at 1 and increase. Each request carries the `_meta` members of the
 * envelope.
 *
 * @example
 * import { createRequestBuilder } from "@lethe/client/edge";
 *
 * const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
 * const request = build("tools/call", { name: "greet" }, { logLevel: "warning" });
 * console.log(request.id, request.method, request.params.name); // 1 tools/call greet
 */
export function createRequestBuilder(envelope: Envelope): RequestBuilder {
  const base = toMeta(envelope);
  let lastId = 0;
  return {
    build(method, params, extras) {
      lastId += 1;
      params._meta = isJsonObject(params._meta) || extras ? withExtras(base, params._meta, extras) : base;
      return { id: lastId, method, params: params as ModernRequest["params"] };
    },
  };
}

/** Shared by all requests without additions, therefore frozen. */
function toMeta({ clientInfo, capabilities, revision }: Envelope): RequestMeta {
  const meta: RequestMeta = { [metaKey.protocolVersion]: revision, [metaKey.clientCapabilities]: capabilities };
  if (clientInfo) meta[metaKey.clientInfo] = clientInfo;
  return Object.freeze(meta);
}

function withExtras(base: RequestMeta, own: unknown, extras: RequestExtras = {}): RequestMeta {
  const meta: RequestMeta = isJsonObject(own) ? { ...own, ...base } : { ...base };
  if (extras.progressToken !== undefined) meta.progressToken = extras.progressToken;
  if (extras.logLevel) meta[metaKey.logLevel] = extras.logLevel;
  return extras.trace ? Object.assign(meta, extras.trace) : meta;
}

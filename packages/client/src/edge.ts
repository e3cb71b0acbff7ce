// Entry point of @lethe/client/edge: the parts of a client that a gateway, a probe or a new transport is built from.

export { createRequestBuilder, type Envelope, type RequestBuilder, type RequestExtras } from "./call/build-request.ts";
export type { CancelSignal } from "./call/cancel-signal.ts";
export { type CallExchange, type CallExchangeOptions, createExchange } from "./call/exchange.ts";
export type { MessageWire } from "./call/message-wire.ts";
export {
  type PendingCall,
  type PendingCallHolder,
  type PendingCallLimits,
  PendingCalls,
  type WaitingCall,
} from "./call/pending-calls.ts";
export { readAnswers } from "./call/read-answers.ts";
export { declaredCapabilities } from "./connect/client-parts.ts";
export {
  type ConnectHttpOptions,
  connectHttp,
  type HttpTarget,
  type LegacyConnectors,
} from "./connect/connect-http.ts";
export { type ConnectMemoryOptions, connectMemory } from "./connect/connect-memory.ts";
export { createClient } from "./connect/create-client.ts";
export { isProtocolHeader } from "./http/http-options.ts";
export { isUnsent } from "./http/to-transport-error.ts";
export { withAuthorization } from "./http/with-authorization.ts";
export { connectLegacy } from "./legacy/connect-legacy.ts";
export {
  connectHttpSse,
  connectStreamableHttp,
  type LegacyHttpOptions,
  type LegacyHttpTarget,
} from "./legacy/connect-legacy-http.ts";
export type { LegacyOptions } from "./legacy/legacy-connection.ts";
export { isSessionLost } from "./legacy/session-wire.ts";

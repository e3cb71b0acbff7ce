// Entry point of @lethe/client, for every runtime. What requires Node is in @lethe/client/node.

export {
  isInputRequired,
  isMcpError,
  isTaskResult,
  type JsonObject,
  McpError,
  type Middleware,
  type Task,
} from "@lethe/protocol";
export type { Fetch as AuthorizationFetch } from "./auth/auth-fetch.ts";
export { type AuthStore, createMemoryAuthStore, type MemoryAuthStoreOptions } from "./auth/auth-store.ts";
export { type AuthorizationCodeOptions, authorizationCode } from "./auth/authorization-code.ts";
export {
  AuthorizationError,
  type AuthorizationErrorCode,
  type AuthorizationErrorOptions,
  isAuthorizationError,
} from "./auth/authorization-error.ts";
export type { AuthorizationHeaders, Authorizer, OutgoingRequest, Refusal } from "./auth/authorizer.ts";
export { type ClientCredentialsOptions, clientCredentials } from "./auth/client-credentials.ts";
export { type AuthorizerOptions, createAuthorizer } from "./auth/create-authorizer.ts";
export type { Grant, GrantRequest } from "./auth/grant.ts";
export {
  type AssertionTarget,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type IdentityProvider,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from "./auth/jwt-bearer.ts";
export type { ClientKey, GivenClient, OAuthClient } from "./auth/oauth-client.ts";
export type { RegistrationOptions } from "./auth/registration.ts";
export { createResponseCache, type ResponseCache, type ResponseCacheOptions } from "./cache/response-cache.ts";
export { createRequestBuilder, type Envelope, type RequestBuilder, type RequestExtras } from "./call/build-request.ts";
export type { CancelSignal } from "./call/cancel-signal.ts";
export type { Connection, ConnectionEnd } from "./call/connection.ts";
export type { TimeLimits } from "./call/deadline.ts";
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
export {
  isTransportError,
  TransportError,
  type TransportErrorOptions,
  type TransportErrorReason,
} from "./call/transport-error.ts";
export type { Client } from "./connect/client.ts";
export type { CallOptions, ClientOptions, InteractiveOptions, ToolCallOptions } from "./connect/client-options.ts";
export { connect } from "./connect/connect.ts";
export {
  type ConnectHttpOptions,
  connectHttp,
  type HttpTarget,
  type LegacyConnectors,
} from "./connect/connect-http.ts";
export { type ConnectMemoryOptions, connectMemory } from "./connect/connect-memory.ts";
export { createClient } from "./connect/create-client.ts";
export type {
  CommandTarget,
  Connect,
  ConnectCommandOptions,
  ConnectOptions,
  ConnectTarget,
  ServerTarget,
} from "./connect/create-connect.ts";
export type { ParsedToolResult } from "./connect/parse-output.ts";
export type { ToolArgs, ToolName, ToolResult } from "./connect/tool-call-types.ts";
export { type Decision, decideHttp, decideStdio, type ProbeOutcome } from "./era/decide.ts";
export {
  createVerdictMemory,
  type Verdict,
  type VerdictMemory,
  type VerdictMemoryOptions,
} from "./era/verdict-memory.ts";
export { createFetchSend, type Fetch } from "./http/fetch-send.ts";
export { type HttpOptions, isProtocolHeader } from "./http/http-options.ts";
export type { HttpAnswer, HttpRequest, HttpSend } from "./http/http-send.ts";
export { withAuthorization } from "./http/with-authorization.ts";
export { checkContent } from "./interaction/check-content.ts";
export { type FormContent, fillDefaults } from "./interaction/fill-defaults.ts";
export type { Handlers, InputRequestContext } from "./interaction/handlers.ts";
export type { RoundLimits } from "./interaction/run-rounds.ts";
export { connectLegacy, type LegacyOptions } from "./legacy/connect-legacy.ts";
export {
  connectHttpSse,
  connectStreamableHttp,
  type LegacyHttpOptions,
  type LegacyHttpTarget,
} from "./legacy/connect-legacy-http.ts";
export type { Change } from "./subscriptions/change.ts";
export type { Subscription } from "./subscriptions/create-subscriptions.ts";
export type { FollowOptions } from "./tasks/create-tasks.ts";
export type { TaskHandle } from "./tasks/follow-task.ts";
export type { RemoteTask } from "./tasks/remote-task.ts";
export type { TaskOptions } from "./tasks/task-options.ts";

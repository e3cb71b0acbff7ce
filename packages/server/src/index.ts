// The door of @lethe/server: define a server once, and serve it on any runtime. What needs Node is in @lethe/server/node.

// auth: who is calling
export { AuthenticationError, isAuthenticationError } from "./auth/authentication-error.ts";
export { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "./auth/authenticator.ts";
export type { JwtOptions, TokenVerifier } from "./auth/jwt-verifier.ts";
export { type ApiKey, createKeyAuthenticator } from "./auth/key-authenticator.ts";
export { requireScopes, type ScopeHierarchy } from "./auth/scopes.ts";
export type { Sender } from "./auth/sender.ts";
// the server
export { createServer, type Server } from "./create-server.ts";
export type { Answer, ElicitInput } from "./features/answer.ts";
// features: what an author defines, and what a handler gets and returns
export type { Completer, CompletionContext, Completions } from "./features/completion.ts";
export {
  audio,
  type BlockOptions,
  type EmbeddedOptions,
  embedded,
  image,
  type LinkOptions,
  link,
  text,
} from "./features/content.ts";
export type { AskOptions, ClientView, Context, ElicitAnswer } from "./features/context.ts";
export type { Feature, FeatureKind, FeatureOptions, Visibility } from "./features/feature.ts";
export { InputRequired, type InputRequiredOptions, inputRequired } from "./features/input-required.ts";
export type { PromptArgsOf, PromptOptions, PromptReturn } from "./features/prompt.ts";
export type { ListCaches, ListKind } from "./features/registry.ts";
export type { ResourceOptions, ResourceReturn } from "./features/resource.ts";
export type { ResourceTemplateOptions } from "./features/resource-template.ts";
export type { InputOf, OutputOf, Schema } from "./features/schema.ts";
export type { TaskMode, TaskPolicy } from "./features/task-policy.ts";
export type { ArgsOf, FullToolResult, ToolOptions, ToolReturn } from "./features/tool.ts";
export { isToolError, ToolError } from "./features/tool-error.ts";
export type { UriVariables } from "./features/uri-variables.ts";
// http: the web-standard handler, for one server or several
export type { HttpAnswer } from "./http/answers.ts";
export { createFetchHandler, type FetchHandler } from "./http/fetch-handler.ts";
export type { HttpOptions } from "./http/http-options.ts";
export type { Route, RouteLookup, RouteRequest } from "./http/route.ts";
export type { LegacyEdge, Servable, ServableLookup, ServableTarget } from "./http/servable.ts";
// interaction: asking the user, the model and the host of the client
export { InputDeclined, isInputDeclined } from "./interaction/input-declined.ts";
export type { Journal, JournalEntry } from "./interaction/journal.ts";
export { createLegacyEdge, type LegacyServed } from "./legacy/legacy-edge.ts";
export type { LegacyOptions } from "./legacy/legacy-options.ts";
// legacy: clients of older revisions
export {
  type AnswerExchange,
  type ClientMessage,
  createMemoryAnswerExchange,
  type MemoryAnswerExchangeOptions,
} from "./legacy/sessions/answer-exchange.ts";
export {
  createMemorySessionStore,
  type MemorySessionStoreOptions,
  type SessionState,
  type SessionStore,
} from "./legacy/sessions/session-store.ts";
export {
  createMemoryEventLog,
  type EventLog,
  type Follower,
  type Following,
  type MemoryEventLogOptions,
  type StreamName,
} from "./legacy/transports/event-log.ts";
export type { RelayedPost, StreamRelay } from "./legacy/transports/stream-relay.ts";
// methods: the raw level, and what the log gets
export type { RawHandler, RawMethodOptions } from "./methods/raw-method.ts";
export type { ErrorInfo, OnError } from "./methods/report-error.ts";
// middleware: ready to use
export { type AccessLine, type AccessLogOptions, accessLog } from "./middleware/access-log.ts";
export { type ConcurrencyLimitOptions, concurrencyLimit } from "./middleware/concurrency-limit.ts";
export {
  createMemoryRateCounter,
  type MemoryRateCounterOptions,
  type Rate,
  type RateCounter,
} from "./middleware/rate-counter.ts";
export { type RateLimitOptions, rateLimit } from "./middleware/rate-limit.ts";
export { type TelemetryOptions, telemetry } from "./middleware/telemetry.ts";
export { type TimeoutOptions, timeout } from "./middleware/timeout.ts";
export { type AnswerLimits, AnswerShares } from "./seal/answer-shares.ts";
// seal: state that a client carries, the keys of a deployment, and single use
export { digestOf, toCanonicalJson } from "./seal/digest.ts";
export { keysFromEnvironment } from "./seal/environment-keys.ts";
export { createKeyRing, type KeyRing, type SealKey } from "./seal/key-ring.ts";
export {
  createMemorySingleUseStore,
  type MemorySingleUseOptions,
  type SingleUseLimits,
} from "./seal/memory-single-use-store.ts";
export {
  type Binding,
  createSeal,
  invalidRequestState,
  type OpenedToken,
  type Seal,
  type SealOptions,
} from "./seal/seal.ts";
export { createSingleUse, type RoundFailures, type SingleUse } from "./seal/single-use.ts";
export type { Claim, Round, SingleUseStore } from "./seal/single-use-store.ts";
export type { ServerOptions } from "./server-options.ts";
// subscriptions: how changes reach other machines
export { type Bus, createMemoryBus } from "./subscriptions/bus.ts";
export type { Change, ChangeKind } from "./subscriptions/change.ts";
export { createHub, type Hub, type HubOptions } from "./subscriptions/hub.ts";
// tasks: where they are kept, and what runs them for who has calls of its own making
export { createMemoryTaskStore, type MemoryTaskStore, requireRoom } from "./tasks/memory-task-store.ts";
export type { StoredTask, TaskQuestions, TaskWork } from "./tasks/stored-task.ts";
export type { TaskRun } from "./tasks/task-run.ts";
export { createTaskRunner, type TaskCall, type TaskRunner, type TaskRunnerOptions } from "./tasks/task-runner.ts";
export { createTaskSettings, type TaskSettings, type TasksOptions } from "./tasks/task-settings.ts";
export { toDetailedTask } from "./tasks/task-state.ts";
export type { TaskLimits, TaskStore } from "./tasks/task-store.ts";

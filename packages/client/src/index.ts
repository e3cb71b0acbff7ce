// Entry point of @lethe/client, for every runtime. Authorization is in @lethe/client/auth, the parts that require Node are in
// @lethe/client/node, and the parts for gateways are in @lethe/client/edge.

export {
  incompatibleVersionOf,
  isInputRequired,
  isMcpError,
  isTaskResult,
  type JsonObject,
  McpError,
  type Middleware,
  type Task,
} from "@lethe/protocol";
export { createResponseCache, type ResponseCache, type ResponseCacheOptions } from "./cache/response-cache.ts";
export type { Connection, ConnectionEnd } from "./call/connection.ts";
export type { TimeLimits } from "./call/deadline.ts";
export {
  isTransportError,
  TransportError,
  type TransportErrorOptions,
  type TransportErrorReason,
} from "./call/transport-error.ts";
export type { Client } from "./connect/client.ts";
export type { CallOptions, ClientOptions, InteractiveOptions, ToolCallOptions } from "./connect/client-options.ts";
export { connect, proxy } from "./connect/connect.ts";
export type { CommandTarget, Connect, ConnectOptions, ConnectTarget, ServerTarget } from "./connect/create-connect.ts";
export type { ParsedToolResult } from "./connect/parse-output.ts";
export type { CreateProxy, Proxy, ProxyOptions } from "./connect/proxy.ts";
export type { ToolArgs, ToolName, ToolResult } from "./connect/tool-call-types.ts";
export {
  createVerdictMemory,
  type Verdict,
  type VerdictMemory,
  type VerdictMemoryOptions,
} from "./era/verdict-memory.ts";
export { createFetchSend, type Fetch } from "./http/fetch-send.ts";
export type { HttpOptions } from "./http/http-options.ts";
export type { HttpAnswer, HttpRequest, HttpSend } from "./http/http-send.ts";
export type { RetryOptions } from "./http/retries.ts";
export { checkContent } from "./interaction/check-content.ts";
export { type FormContent, fillDefaults } from "./interaction/fill-defaults.ts";
export type { Handlers, InputRequestContext } from "./interaction/handlers.ts";
export type { RoundLimits } from "./interaction/run-rounds.ts";
export type { Change } from "./subscriptions/change.ts";
export type { Subscription } from "./subscriptions/subscriber.ts";
export type { FollowOptions } from "./tasks/create-tasks.ts";
export type { TaskHandle } from "./tasks/follow-task.ts";
export type { RemoteTask } from "./tasks/remote-task.ts";
export type { TaskOptions } from "./tasks/task-options.ts";

// The door of @lethe/gateway: any mix of MCP servers behind one stateless endpoint.

export type { LiveTask } from "./calls/gateway-tasks.ts";
export { sessionArgument, sessionMetaKey } from "./calls/session-argument.ts";
export { CatalogView, type ListKind } from "./catalog/catalog-view.ts";
export { type Catalog, mergeCatalogs } from "./catalog/merge-catalogs.ts";
export { toPublicName } from "./catalog/public-name.ts";
export { ConfigError } from "./config/config-error.ts";
export { exampleConfig } from "./config/example-config.ts";
export { type GatewaySettings, type LogFormat, logFormats, type RedisSettings } from "./config/gateway-settings.ts";
export { findUnstartable } from "./config/notes.ts";
export { type ReadConfig, type ReadConfigOptions, readConfig } from "./config/read-config.ts";
export type {
  Affinity,
  Exposure,
  GatewayConfig,
  HttpUpstream,
  SessionLimits,
  Sharing,
  StdioUpstream,
  UpstreamConfig,
  UpstreamPolicy,
} from "./config/upstream-config.ts";
export { basePath, type Endpoint } from "./create-endpoint.ts";
export type { Changes } from "./create-fleet.ts";
export { createGateway, type Gateway } from "./create-gateway.ts";
export type { GatewayOptions } from "./gateway-options.ts";
export type { KeptExchange } from "./observe/exchange-ring.ts";
export type {
  EraView,
  FeaturesView,
  GatewayView,
  ParkedCallView,
  SessionView,
  SharedView,
  TaskView,
  UpstreamState,
  UpstreamView,
  VerdictView,
} from "./observe/gateway-view.ts";
export { type LogEntry, type LogLevel, type LogSink, toJsonLine, toTextLine } from "./observe/log.ts";
export type { RequestRecord } from "./observe/request-record.ts";
export {
  type ReloadOutcome,
  type ServedGateway,
  type ServeGatewayOptions,
  serveGateway,
} from "./serve-gateway.ts";
export { UpstreamSessions } from "./sessions/upstream-sessions.ts";
export type { Verdict } from "./sessions/verdict.ts";
export { createLocalDirectory, type Directory } from "./store/directory.ts";
export { isReplicaError, ReplicaError, type ReplicaFailure } from "./store/replica-error.ts";
export type { Share, SharedState, SharedStatus, ShareParts } from "./store/shared-state.ts";
export type { UpstreamEvent } from "./upstream/upstream.ts";
export { toCallerError, type UpstreamFailure } from "./upstream/upstream-error.ts";

// The door of @lethe/gateway: any mix of MCP servers behind one stateless endpoint.

export { type ServedGateway, type ServeGatewayOptions, serveGateway } from "./app.ts";
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
export { basePath, type Endpoint } from "./edge/endpoints/endpoint.ts";
export { createGateway, type Gateway } from "./edge/endpoints/gateway.ts";
export type { GatewayOptions } from "./edge/endpoints/gateway-options.ts";
export type { UpstreamChanges } from "./edge/endpoints/upstream-entries.ts";
export type { RequestRecord } from "./edge/request-record.ts";
export type { KeptExchange } from "./operate/observe/exchange-ring.ts";
export type {
  FeaturesView,
  GatewayView,
  ParkedCallView,
  SessionView,
  SharedView,
  TaskView,
  UpstreamState,
  UpstreamView,
  VerdictView,
} from "./operate/observe/gateway-view.ts";
export { type LogEntry, type LogLevel, type LogSink, toJsonLine, toTextLine } from "./operate/observe/log.ts";
export type { ReloadOutcome } from "./operate/reload.ts";
export type { UpstreamEvent } from "./upstreams/connection/upstream.ts";
export { toCallerError, type UpstreamFailure } from "./upstreams/connection/upstream-error.ts";
export type { Share, SharedState, SharedStatus, ShareParts } from "./upstreams/directory/shared-state.ts";
export { UpstreamSessions } from "./upstreams/sessions/upstream-sessions.ts";
export type { EraView, Verdict } from "./upstreams/verdict/verdict.ts";

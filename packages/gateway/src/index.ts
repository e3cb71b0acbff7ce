// The exports of lethe/gateway: any mix of MCP servers behind one stateless endpoint.

// Serve a server object of the official SDK.
export { type AdaptOptions, adaptServer } from "./adapter/adapt-server.ts";
export type { OfficialServer } from "./adapter/memory-wire.ts";
// Serve a gateway from a configuration.
export { type ServedGateway, type ServeGatewayOptions, serveGateway } from "./app.ts";
// Read a configuration.
export { ConfigError } from "./config/config-error.ts";
export { configurationSchema } from "./config/configuration-schema.ts";
export { exampleConfig } from "./config/example-config.ts";
export { findUnstartable } from "./config/notes.ts";
export { type ReadConfig, type ReadConfigOptions, readConfig } from "./config/read-config.ts";
export { type LogFormat, logFormats } from "./config/schema/log-format.ts";
export type { GatewaySettings, RedisSettings, UpstreamPolicy } from "./config/schema/settings.ts";
export type {
  FileUpstream,
  GatewayConfig,
  HttpUpstream,
  MemoryUpstream,
  OpenApiUpstream,
  StdioUpstream,
  UpstreamConfig,
} from "./config/upstream-config.ts";
// Embed a gateway in a program.
export { createGateway } from "./edge/create-gateway.ts";
export type { Gateway } from "./edge/endpoints/gateway.ts";
export type { GatewayOptions } from "./edge/endpoints/gateway-options.ts";
export type { ReloadOutcome } from "./operate/admin/api/health.ts";
export type { GatewayView, UpstreamView, VerdictView } from "./operate/observe/gateway-view.ts";
export { type LogEntry, type LogSink, toJsonLine, toTextLine } from "./operate/observe/log.ts";
export type { UpstreamEvent } from "./upstreams/connection/upstream.ts";
export { toCallerError } from "./upstreams/connection/upstream-error.ts";
export type { Share, SharedState, SharedStatus, ShareParts } from "./upstreams/directory/shared-state.ts";

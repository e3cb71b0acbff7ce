// The door of @lethe/gateway: any mix of MCP servers behind one stateless endpoint.

export { LiveCatalog } from "./catalog/live-catalog.ts";
export { type Catalog, mergeCatalogs } from "./catalog/merge-catalogs.ts";
export { toPublicName } from "./catalog/public-name.ts";
export { ConfigError } from "./config/config-error.ts";
export type { GatewaySettings } from "./config/gateway-settings.ts";
export { type ReadConfig, type ReadConfigOptions, readConfig } from "./config/read-config.ts";
export type {
  Affinity,
  GatewayConfig,
  HttpUpstream,
  StdioUpstream,
  UpstreamConfig,
  UpstreamPolicy,
} from "./config/upstream-config.ts";
export { basePath, createGateway, type Gateway, type GatewayOptions } from "./create-gateway.ts";
export { createMergedDispatch } from "./routing/merged-dispatch.ts";
export { Upstream, type UpstreamEvent, type UpstreamOptions } from "./upstream/upstream.ts";

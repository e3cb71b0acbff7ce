// The entry point @lethe/gateway/console: the web console of one MCP endpoint, without the gateway.

export { createPlaygroundRoutes } from "./operate/console/playground-routes.ts";

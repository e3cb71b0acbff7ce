// The entry point @lethe/gateway/workers: several processes that serve one gateway.

export { type GatewayWorkers, type ServeGatewayByWorkersOptions, serveGatewayByWorkers } from "./serve-by-workers.ts";

// The entry point @lethe/server/node: everything that needs Node.

export type { HttpOptions } from "../http/http-options.ts";
export type { Servable, ServableLookup, ServableTarget } from "../http/servable.ts";
export type { ServingLoad } from "../http/serving-load.ts";
export type { StdioOptions } from "../stdio/stdio-edge.ts";
export type { ConnectionLimits } from "./connection-limits.ts";
export { createNodeHandler, type NodeHandler } from "./node-handler.ts";
export { openFileSessionStateStore } from "./open-file-session-state-store.ts";
export { openFileTaskStore } from "./open-file-task-store.ts";
export { type ServeOptions, type Serving, serve } from "./serve.ts";
export { type ServeStdioOptions, serveStdio } from "./serve-stdio.ts";

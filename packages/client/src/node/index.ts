// Entry point of @lethe/client/node: everything that requires Node. The rest is in @lethe/client.

export { connect, proxy } from "./connect.ts";
export { type ConnectModernOptions, connectModern } from "./connect-modern.ts";
export { type ConnectStdioOptions, connectStdio } from "./connect-stdio.ts";
export { createAuthorizer } from "./create-authorizer.ts";
export { createFileAuthStore } from "./file-auth-store.ts";
export { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
export { createNodeSend, type NodeSend, type NodeSendOptions } from "./http-send.ts";
export { createLoopbackRedirect, type LoopbackRedirect, type LoopbackRedirectOptions } from "./loopback-redirect.ts";
export { openBrowser } from "./open-browser.ts";
export { createPublicFetch } from "./public-fetch.ts";
export { type ProcessExit, type ServerProcess, type SpawnOptions, type SpawnTarget, spawnServer } from "./spawn.ts";
export { createStdioWire, type StdioOptions, type StdioWire } from "./stdio.ts";

// `connect` for any runtime that has fetch: URLs and servers in the same process.
import { createFetchSend } from "../http/fetch-send.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { type Connect, createConnect, type Platform } from "./create-connect.ts";
import { type CreateProxy, createProxyFunction } from "./proxy.ts";

/**
 * Connects to a server by URL, or to a server in the same process, on any runtime that has `fetch`. Detects the revision of the server
 * within 60 s (`connectTimeoutMs`). `connect` of `@lethe/client/node` also starts commands and is faster on Node. Rejects with McpError if the
 * server refuses, with TransportError if it cannot be reached, and with TypeError for an invalid target, such as a command.
 *
 * @example
 * import { connect } from "@lethe/client";
 * import { createServer } from "@lethe/server";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const client = await connect(server, { timeoutMs: 10_000 });
 * const { content } = await client.callTool("greet");
 * console.log(content); // [ { type: 'text', text: 'Hello!' } ]
 * await client.close();
 */
export const connect: Connect = createConnect(platform());

function platform(): Platform {
  return {
    createSend: () => ({ send: createFetchSend(), close: () => {} }),
    legacy: { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse },
  };
}

/**
 * Creates a proxy of a remote server, to mount on a server of @lethe/server. It connects with its first request, connects again after the
 * connection has ended, and closes with the server on which it is mounted. Callers answer the input requests of the remote server; the
 * remote server sees the credentials of the options, not those of the callers. Throws TypeError for an invalid URL. `proxy` of
 * `@lethe/client/node` also starts commands.
 *
 * @example
 * import { proxy } from "@lethe/client";
 * import { createServer } from "@lethe/server";
 *
 * const weather = proxy("https://weather.example/mcp", { headers: { authorization: "Bearer secret" } });
 * const server = createServer({ name: "hub", version: "1.0.0" }).mount("weather", weather);
 * await server.close();
 */
export const proxy: CreateProxy = createProxyFunction(platform());

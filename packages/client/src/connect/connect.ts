// `connect` for any runtime that has fetch: URLs and servers in the same process.
import { createFetchSend } from "../http/fetch-send.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { type Connect, createConnect } from "./create-connect.ts";

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
export const connect: Connect = createConnect({
  createSend: () => ({ send: createFetchSend(), close: () => {} }),
  legacy: { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse },
});

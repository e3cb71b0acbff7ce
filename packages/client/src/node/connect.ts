// `connect` for Node: over connections of undici, and with commands to start.
import { pickOptions } from "@lethe/protocol";
import type { Connection } from "../call/connection.ts";
import { excerptOf } from "../call/transport-error.ts";
import {
  type CommandTarget,
  type Connect,
  type ConnectCommandOptions,
  createConnect,
  type Platform,
} from "../connect/create-connect.ts";
import { type CreateProxy, createProxyFunction } from "../connect/proxy.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { type ConnectStdioOptions, connectStdio, knownConnectStdioOptions } from "./connect-stdio.ts";
import { createAuthorizer } from "./create-authorizer.ts";
import { createNodeSend } from "./http-send.ts";

/**
 * Connects to a server by URL, to a command that is started, or to a server in the same process. Detects the revision of the server. Uses
 * keep-alive connections of HTTP/1.1. Rejects with McpError if the server refuses, with TransportError if it cannot be reached or started,
 * and with TypeError for an invalid target. `close` of the client also ends the command.
 *
 * @example
 * import { connect } from "@lethe/client/node";
 *
 * const program = `
 *   import { createServer } from "@lethe/server";
 *   import { serveStdio } from "@lethe/server/node";
 *   await serveStdio(createServer({ name: "hello", version: "1.0.0" }));
 * `;
 * const target = { command: process.execPath, args: ["--input-type=module", "--eval", program] };
 *
 * const client = await connect(target, { startTimeoutMs: 30_000 });
 * console.log(client.connection.revision); // 2026-07-28
 * await client.close();
 */
export const connect: Connect = createConnect(platform());

/**
 * Creates a proxy of a remote server or of a command that it starts, to mount on a server of @lethe/server. It connects with its first
 * request, connects again after the connection has ended, and closes with the server on which it is mounted. Callers answer the input
 * requests of the remote server; the remote server sees the credentials of the options, not those of the callers. Throws TypeError for an
 * invalid URL.
 *
 * @example
 * import { proxy } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 *
 * const files = proxy({ command: "my-file-server", args: ["--root", "/srv"] });
 * const server = createServer({ name: "hub", version: "1.0.0" }).mount("files", files);
 * await server.close();
 */
export const proxy: CreateProxy = createProxyFunction(platform());

function platform(): Platform {
  return {
    createSend: createNodeSend,
    createAuthorizer,
    connectCommand,
    legacy: { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse },
  };
}

function connectCommand(target: CommandTarget, options: ConnectCommandOptions): Promise<Connection> {
  const { connectTimeoutMs, startTimeoutMs = connectTimeoutMs, onWarning = console.warn, ...shared } = options;
  let isWarned = false;
  const own: ConnectStdioOptions = {
    ...pickOptions<ConnectStdioOptions>(shared, knownConnectStdioOptions),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    onJunk(line) {
      if (!isWarned)
        onWarning(`${target.command} writes to its standard output what is no message: ${excerptOf(line)}`);
      isWarned = true;
    },
  };
  return connectStdio(target, own);
}

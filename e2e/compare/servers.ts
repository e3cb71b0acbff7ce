// Starts servers of other projects on free ports.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const { resolve } = createRequire(import.meta.url);
export const everything: string = resolve("@modelcontextprotocol/server-everything/package.json").replace(
  "package.json",
  "dist/index.js",
);

export interface Running {
  origin: string;
  stop(): Promise<void>;
}

export async function startEverything(transport: "streamableHttp" | "sse"): Promise<Running> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, transport], { env, stdio: ["ignore", "ignore", "pipe"] });
  await untilSaid(child, String(port));
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      await closed;
    },
  };
}

async function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let output = "";
  for await (const text of child.stderr?.setEncoding("utf8").iterator({ destroyOnReturn: false }) ?? []) {
    output += text;
    if (output.includes(words)) break;
  }
  // The test stops reading here, and the server must not wait for a reader.
  child.stderr?.resume();
}

async function freePort(): Promise<number> {
  const server = createNetServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A stateless server of the official SDK v1. */
export async function startOfficialV1(): Promise<Running> {
  const http = createServer(answerOfficialV1).listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async stop() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

export async function answerOfficialV1(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const server = new McpServer({ name: "official", version: "1.0.0" });
  server.registerTool("greet", { inputSchema: { name: z.string() } }, async ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}!` }],
  }));
  const transport = new StreamableHTTPServerTransport({});
  res.on("close", () => void server.close());
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(req, res);
}

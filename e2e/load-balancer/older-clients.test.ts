// A client of 2025-11-25 behind a real nginx, over three processes that share nothing but keys: what works wherever a request
// lands, and what a question needs, whose answer is a request of its own.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { findFreePort, type NginxOptions, servedBy, startNginx } from "../processes/nginx.ts";
import { stopProcess } from "../processes/server.ts";

const replica = fileURLToPath(new URL("replica.mjs", import.meta.url));
const tracker = fileURLToPath(new URL("../../examples/tracker/dist/server.js", import.meta.url));
const env = { ...process.env, LETHE_KEYS: `k1:${Buffer.alloc(32, 9).toString("base64url")}` };
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Deployment {
  url: string;
  /** All processes at once; new ones take their places. */
  restart(): Promise<void>;
}

async function deploy(script: string, args: string[] = [], options?: NginxOptions): Promise<Deployment> {
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  let children: ChildProcess[] = [];
  const start = async (): Promise<void> => {
    children = await Promise.all(ports.map((port) => startOne(script, [...args, "--port", String(port)])));
    for (const child of children) {
      child.on("message", (message) => {
        for (const other of children) other.send(message as object);
      });
    }
  };
  await start();
  cleanups.push(async () => void (await Promise.all(children.map(stopProcess))));
  const nginx = await startNginx(ports, options);
  cleanups.push(() => nginx.stop());
  return {
    url: nginx.url,
    async restart() {
      await Promise.all(children.map(stopProcess));
      await start();
    },
  };
}

async function startOne(script: string, args: string[]): Promise<ChildProcess> {
  const child = fork(script, args, { env, execArgv: [], stdio: ["ignore", "pipe", "inherit", "ipc"] });
  if (child.stdout) await once(createInterface({ input: child.stdout }), "line");
  return child;
}

/** `servers` are those that answered a POST. */
async function connect(url: string) {
  const servers = new Set<string>();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(target, init) {
      const response = await fetch(target, init);
      if (init?.method === "POST") servers.add(response.headers.get(servedBy) ?? "");
      return response;
    },
  });
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    const content = params.message === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
    return { action: "accept", content };
  });
  await client.connect(transport as Transport);
  cleanups.push(() => client.close());
  return { client, transport, servers, asked };
}

const bug = { name: "get_bug", arguments: { id: 2 } };
const question = { name: "resolve", arguments: { id: 7 } };
const resolved = { structuredContent: { id: 7, resolution: "Fixed (api): cable" } };

it("a session lists and calls at all of them in turn, and still does when all have been restarted (D-33)", async () => {
  const deployment = await deploy(tracker);
  const { client, transport, servers } = await connect(deployment.url);
  const session = transport.sessionId;
  const use = async (): Promise<void> => {
    servers.clear();
    for (let turn = 0; turn < 6; turn++) {
      expect((await client.listTools()).tools).toHaveLength(3);
      expect(await client.callTool(bug)).toMatchObject({ structuredContent: { id: 2, state: "open" } });
    }
    expect(servers.size).toBe(3);
  };
  await use();
  await deployment.restart();
  await use();
  expect(session).toBeDefined();
  expect(transport.sessionId).toBe(session);
});

describe("the answer to a question lands on another process than the one that waits", () => {
  it("and is lost: the call fails when the wait is over, and the session goes on", async () => {
    const { url } = await deploy(replica, ["--patience", "300"]);
    const { client, asked } = await connect(url);
    await expect(client.callTool(question)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("the client did not answer elicitation/create"),
    });
    expect(asked).toEqual(["How was bug #7 resolved?"]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it("and is handed over where the processes share an AnswerExchange", async () => {
    const { url } = await deploy(replica, ["--shared"]);
    const { client, servers, asked } = await connect(url);
    for (let turn = 0; turn < 3; turn++) expect(await client.callTool(question)).toMatchObject(resolved);
    expect(asked).toHaveLength(6);
    expect(servers.size).toBe(3);
  });

  it("or does not, where the balancer keeps a session on one process", async () => {
    const { url } = await deploy(replica, [], { balance: "hash $http_mcp_session_id consistent;" });
    const { client, servers, asked } = await connect(url);
    servers.clear();
    expect(await client.callTool(question)).toMatchObject(resolved);
    expect(asked).toHaveLength(2);
    expect(servers.size).toBe(1);
  });
});

// A gateway with default limits under thousands of connections from one caller or address: other callers get all responses.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningGateway, root, startGateway } from "../processes/lethe.ts";

const everything = {
  command: "node",
  args: [join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};
const keys = ["alice", "bob"].map((id) => ({ id, key: `${id}-key-0123456789` }));
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
    name: "everything__echo",
    arguments: { message: "hello" },
  },
});

interface Peer {
  /** The loopback address that the peer calls from. */
  from: string;
  key?: string;
}

/** Behind one load balancer, callers differ only by their keys. */
const keyed = {
  document: { mcpServers: { everything }, gateway: { auth: { keys } } },
  greedy: { from: "127.0.0.1", key: "alice-key-0123456789" },
  other: { from: "127.0.0.1", key: "bob-key-0123456789" },
};
const open = {
  document: { mcpServers: { everything } },
  greedy: { from: "127.0.0.2" },
  other: { from: "127.0.0.3" },
};

let folder: string;
let gateway: RunningGateway;
let sockets: Socket[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-fair-"));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function start(document: object): Promise<void> {
  const file = join(folder, "lethe.json");
  await writeFile(file, JSON.stringify(document));
  gateway = await startGateway(file);
}

function headersOf({ key }: Peer): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "everything__echo",
    "Content-Length": String(body.length),
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  };
}

/** Connects and sends a head and the first byte of a body. */
async function beginBody(peer: Peer): Promise<Socket> {
  const { port, host } = new URL(gateway.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: peer.from });
  sockets.push(socket);
  socket.on("error", () => {}).resume();
  await once(socket, "connect");
  const lines = Object.entries(headersOf(peer)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${lines.join("")}\r\n{`);
  return socket;
}

/** The statuses of calls one after the other, as long as `isOver` resolves and then 50 more. */
async function callWhile(peer: Peer, isOver: Promise<unknown>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: peer.from });
  let left = Number.POSITIVE_INFINITY;
  void isOver.then(() => {
    left = 50;
  });
  for (; left > 0; left -= 1) {
    const status = await call(peer, agent);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  agent.destroy();
  return statuses;
}

function call(peer: Peer, agent: Agent): Promise<number> {
  const { port, pathname } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path: pathname, method: "POST", agent, headers: headersOf(peer) },
      (answer) => answer.resume().on("end", () => resolve(answer.statusCode ?? 0)),
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

describe.each([
  ["one caller", keyed],
  ["one address without credentials", open],
])("%s", (_name, { document, greedy, other }) => {
  it("a client that resets 1,500 connections during a body causes no rejections of other callers", async () => {
    await start(document);
    const attack = async (): Promise<void> => {
      for (let count = 0; count < 1_500; count += 1) (await beginBody(greedy)).resetAndDestroy();
    };
    expect([...(await callWhile(other, attack())).keys()]).toEqual([200]);
    expect(await call(greedy, new Agent({ localAddress: greedy.from }))).toBe(200);
  });

  it("a client that sends 1,200 slow bodies causes no rejections of other callers", async () => {
    await start(document);
    const attack = async (): Promise<void> => {
      for (let count = 0; count < 1_200; count += 1) await beginBody(greedy);
    };
    expect([...(await callWhile(other, attack())).keys()]).toEqual([200]);
    expect(await call(greedy, new Agent({ localAddress: greedy.from }))).toBe(429);
  });
});

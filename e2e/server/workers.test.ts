// A server with workers, started as `node server.js`, is one server to its clients: what it keeps in memory by default is shared.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { metaKey, modelRevision } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { textOf } from "../gateway/worker-gateway.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";

const program = fileURLToPath(new URL("workers-program.mjs", import.meta.url));
const patience = { timeout: 30_000, interval: 50 };

let child: ChildProcess;
let url: string;
let output: string;
let clients: Client[];

async function start(env: Record<string, string> = {}): Promise<void> {
  child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  url = await vi.waitFor(() => {
    const [found] = /http:\S+/.exec(output) ?? [];
    if (found === undefined) throw new Error(`no URL yet: ${output}`);
    return found;
  }, patience);
}

const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
const workers = () => childrenOf(child.pid as number).map(({ pid }) => pid);

/** Two clients, each with a connection to another worker. */
async function connectBoth(options: ConnectOptions = {}): Promise<[Client, Client]> {
  const pair = [await connect(url, options), await connect(url, options)] as [Client, Client];
  clients.push(...pair);
  return pair;
}

const call = async (client: Client | undefined, name: string) => textOf(await (client as Client).callTool(name, {}));

beforeEach(() => {
  clients = [];
});

afterEach(async () => {
  await Promise.allSettled(clients.map((client) => client.close()));
  if (hasEnded()) return;
  const left = workers();
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
  expect(left.filter(isAlive)).toEqual([]);
  expect([child.exitCode, child.signalCode]).toEqual([0, null]);
});

it("serves each connection by the next worker, and prints nothing twice", async () => {
  await start();
  const pids = await Promise.all((await connectBoth()).map((client) => call(client, "who")));
  expect(pids.map(Number).sort()).toEqual(workers().sort());
  expect(output.trim()).toBe(url);
});

it("accepts an answer at another worker than the question, once", async () => {
  await start();
  const asked: string[] = [];
  const [one, two] = await connectBoth({
    elicit: ({ message }) => {
      asked.push(message);
      return { action: "accept", content: { answer: "yes" } };
    },
  });
  const results = await Promise.all([one, two, one, two].map((client) => call(client, "ask")));
  for (const result of results) expect(result).toContain("yes at ");
  expect(asked).toHaveLength(4);
});

it("notifies subscribers at every worker", async () => {
  await start();
  const [one, two] = await connectBoth();
  const changes: string[] = [];
  const subscriptions = [one, two].map((client) =>
    client.subscribe({ resourceSubscriptions: ["test://one"] }, (change) => void changes.push(JSON.stringify(change))),
  );
  await Promise.all(subscriptions);
  await call(one, "touch");
  await vi.waitFor(() => expect(changes).toHaveLength(2), patience);
  for (const subscription of subscriptions) await (await subscription).close();
});

it("continues a task at another worker when its own is killed, and starts a worker again", async () => {
  await start();
  const pair = await connectBoth({ tasks: { maxPollMs: 100 } });
  const pids = (await Promise.all(pair.map((client) => call(client, "who")))).map(Number);
  const result = call(pair[1], "slow");
  // The task has begun when the other worker knows it.
  await vi.waitFor(() => expect(output).toContain("begun"), patience);
  process.kill(pids[1] as number, "SIGKILL");
  expect(await result).toBe(`begun at ${pids[1]}`);
  await vi.waitFor(() => expect(workers()).toHaveLength(2), patience);
  await vi.waitFor(
    () => expect(output).toMatch(/worker [12] has ended: it was ended by SIGKILL; another starts now/),
    patience,
  );
});

/** Begins a call at a worker. Returns its result, or "failed". */
async function beginWait(): Promise<{ result: Promise<string> }> {
  const [client] = await connectBoth();
  const result = call(client, "wait").catch(() => "failed");
  await vi.waitFor(() => expect(output).toContain("waiting"), patience);
  return { result };
}

it("finishes the calls of its workers when it is closed", async () => {
  await start({ WAIT_MS: "1000", GRACE_MS: "60000" });
  const { result } = await beginWait();
  child.kill("SIGTERM");
  expect(await result).toBe("waited");
  await vi.waitFor(() => expect(child.exitCode).toBe(0), patience);
  expect(output.trim().split("\n")).toEqual([url, "waiting"]);
});

it("leaves no worker when its parent is killed, although a call runs", async () => {
  await start({ WAIT_MS: "120000" });
  const { result } = await beginWait();
  const left = workers();
  child.kill("SIGKILL");
  await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), patience);
  expect(await result).toBe("failed");
});

it("leaves no worker when its parent is killed while it waits for a call to finish", async () => {
  await start({ WAIT_MS: "120000", GRACE_MS: "120000" });
  const { result } = await beginWait();
  const left = workers();
  child.kill("SIGTERM");
  // The worker without a call has ended, so the other one is closing.
  await vi.waitFor(() => expect(left.filter(isAlive)).toHaveLength(1), patience);
  child.kill("SIGKILL");
  await vi.waitFor(() => expect(left.filter(isAlive)).toEqual([]), patience);
  expect(await result).toBe("failed");
});

it("counts the requests of a caller at all workers together", async () => {
  await start({ LIMIT: "6" });
  const params = {
    name: "count",
    _meta: { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} },
  };
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": modelRevision,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "count",
    // Each request has a connection of its own.
    Connection: "close",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1)
    statuses.push((await fetch(url, { method: "POST", headers, body })).status);
  expect(statuses).toEqual([...Array(6).fill(200), ...Array(6).fill(429)]);
});

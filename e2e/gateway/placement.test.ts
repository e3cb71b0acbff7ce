// New sessions of a stateful server open where there is room: real gateways that share a Redis, and workers of one gateway.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { CallToolResult } from "@lethe/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { childrenOf } from "../processes/process-tree.ts";

const counter = fileURLToPath(new URL("../servers/count-v1.mjs", import.meta.url));
const callers = ["ann", "bob", "cleo", "dan", "eve"];
const keyOf = (caller: string) => `key-of-${caller}`.padEnd(24, "-");
const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Writes a configuration with a server that has two sessions at most in each process of the gateway, and returns its file. */
async function configure(settings: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-placement-"));
  ends.push(() => rm(folder, { recursive: true }));
  const file = join(folder, "lethe.json");
  const gateway = {
    auth: { keys: callers.map((id) => ({ id, key: keyOf(id) })) },
    upstreams: { up: { sessions: { max: 2, waitMs: 200 } } },
    shutdown: { graceMs: 2_000 },
    ...settings,
  };
  await writeFile(
    file,
    JSON.stringify({ mcpServers: { up: { command: process.execPath, args: [counter] } }, gateway }),
  );
  return file;
}

/** Returns the metric, or the sum over its labels. */
async function metric({ url }: RunningGateway, name: string): Promise<number> {
  const text = await (await fetch(new URL("/metrics", url), { headers: { connection: "close" } })).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** What `/admin/v1/health` says about where sessions of this gateway open. */
async function placementOf({ url }: RunningGateway): Promise<unknown> {
  const answer = await fetch(new URL("/admin/v1/health", url), { headers: { connection: "close" } });
  const { replicas } = (await answer.json()) as { replicas: { isSelf: boolean; shared: { placement: unknown } }[] };
  return replicas.find(({ isSelf }) => isSelf)?.shared.placement;
}

async function connectAs(caller: string, { url }: RunningGateway): Promise<Client> {
  const client = await connect(url, { headers: { authorization: `Bearer ${keyOf(caller)}` } });
  ends.push(() => client.close());
  return client;
}

/** The number of calls that the server of this caller has counted, and the process of the server. */
async function count(client: Client): Promise<{ readonly pid: number; readonly count: number }> {
  const { content } = (await client.callTool("up__count")) as CallToolResult;
  const [pid, counted] = content.map((block) => ("text" in block ? block.text.split(" ") : []))[0] ?? [];
  return { pid: Number(pid), count: Number(counted) };
}

/** The server processes of a gateway or of one of its workers. */
const serversOf = (pid: number | undefined) => new Set(childrenOf(pid as number).map((child) => child.pid));

describe("two gateways that share a Redis", () => {
  async function startTwo(settings: object = {}): Promise<[RunningGateway, RunningGateway]> {
    const redis = await startRedis();
    ends.push(() => redis.stop());
    const file = await configure({ redis: { url: redis.url }, ...settings });
    const start = () => startGatewayWith(env, file, "--port", "0");
    const two = await Promise.all([start(), start()]);
    for (const gateway of two) {
      ends.push(() => gateway.stop());
      await expect.poll(() => metric(gateway, "lethe_replicas_with_room"), { timeout: 30_000 }).toBe(1);
    }
    return two;
  }

  it("serve as many callers of one gateway as both have room for, and no caller loses its session", async () => {
    const [first, second] = await startTwo();
    const clients = await Promise.all(callers.slice(0, 4).map((caller) => connectAs(caller, first)));
    for (const client of clients) expect((await count(client)).count).toBe(1);
    const results = await Promise.all(clients.map(count));
    expect(results.map((result) => result.count)).toEqual([2, 2, 2, 2]);
    const [here, there] = [serversOf(first.child.pid), serversOf(second.child.pid)];
    expect(results.map(({ pid }) => [here.has(pid), there.has(pid)])).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect(await metric(first, "lethe_sessions_handed_on_total")).toBe(2);
    const placement = { handedOn: { draining: 0, full: 2, crowded: 0 }, replicasWithRoom: { up: 0 } };
    await expect.poll(() => placementOf(first), { timeout: 30_000 }).toEqual(placement);
    // There is no room for a fifth session, so it is refused, as with one gateway.
    await expect(count(await connectAs("eve", first))).rejects.toMatchObject({ data: { reason: "busy" } });
    expect((await Promise.all(clients.map(count))).map((result) => result.count)).toEqual([3, 3, 3, 3]);
  });

  it("open no session at a gateway that is draining", async () => {
    // As a load balancer needs it: the gateway still takes requests while readiness checks fail.
    const [first, second] = await startTwo({ shutdown: { delayMs: 60_000 } });
    ends.push(() => Promise.all([first, second].map((gateway) => gateway.stop("SIGKILL"))));
    const before = serversOf(first.child.pid);
    const ann = await connectAs("ann", first);
    first.child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(new URL("/readyz", first.url))).status).toBe(503);
    const opened = await count(ann);
    expect(serversOf(second.child.pid)).toContain(opened.pid);
    expect(serversOf(first.child.pid)).toEqual(before);
    await first.stop("SIGKILL");
    expect(await count(await connectAs("ann", second))).toEqual({ pid: opened.pid, count: 2 });
  });
});

describe("two workers of one gateway", () => {
  it("serve as many callers of one worker as both have room for", async () => {
    const gateway = await startGatewayWith(env, await configure({}), "--port", "0", "--workers", "2", "--verbose");
    ends.push(() => gateway.stop());
    const ready = () => [1, 2].every((slot) => gateway.output.stderr.includes(`worker ${slot} has started`));
    await expect.poll(ready, { timeout: 30_000 }).toBe(true);
    // One connection of each caller is at the first worker, because the parent gives them to its workers in turn.
    const clients: Client[] = [];
    for (const caller of callers.slice(0, 4)) {
      clients.push(await connectAs(caller, gateway));
      await connectAs(caller, gateway);
    }
    await expect.poll(() => metric(gateway, "lethe_replicas_with_room"), { timeout: 30_000 }).toBe(1);
    for (const client of clients) expect((await count(client)).count).toBe(1);
    expect((await Promise.all(clients.map(count))).map((result) => result.count)).toEqual([2, 2, 2, 2]);
    const workers = childrenOf(gateway.child.pid as number).map(({ pid }) => serversOf(pid));
    const { pid } = await count(clients[3] as Client);
    expect(workers.filter((servers) => servers.has(pid))).toHaveLength(1);
    expect(await metric(gateway, "lethe_sessions_handed_on_total")).toBeGreaterThan(0);
  });
});

// Two gateways from the command line whose Redis stands still for longer than a lease, and continues.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWireClient, type WireClient } from "../../examples/src/testing/wire-client.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` };
const token = "key-of-ann--------------";
const patience = { timeout: 60_000, interval: 100 };
/** A call is lost when Redis stands still for four times as long. */
const leaseMs = 10_000;
/** Connections are given up before the lease is over. */
const commandTimeoutMs = 2_000;

let redis: RunningRedis;
let folder: string;
let gateways: RunningGateway[] = [];

beforeEach(async () => {
  redis = await startRedis();
  folder = await mkdtemp(join(tmpdir(), "lethe-still-redis-"));
}, 60_000);

afterEach(async () => {
  redis.goOn();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await redis.stop();
  await rm(folder, { recursive: true });
});

async function start(more: object): Promise<{ atOwner: WireClient; atOther: WireClient }> {
  const file = join(folder, "lethe.json");
  const gateway = {
    auth: { keys: [{ id: "ann", key: token }] },
    upstreams: { keeper: { elicits: [], sessions: { waitMs: 60_000 } } },
    redis: { url: redis.url, leaseMs, commandTimeoutMs, ...more },
    shutdown: { graceMs: 1_000 },
  };
  const mcpServers = { keeper: { command: process.execPath, args: [keeper] } };
  await writeFile(file, JSON.stringify({ mcpServers, gateway }));
  gateways = await Promise.all([1, 2].map(() => startGatewayWith(env, file, "--port", "0", "--verbose")));
  await eventually("lethe_replicas", 1);
  const [atOwner, atOther] = gateways.map(clientOf) as [WireClient, WireClient];
  await atOwner.callTool("keeper__remember", { text: "one" });
  return { atOwner, atOther };
}

function clientOf({ url }: RunningGateway): WireClient {
  const send = async (request: Request) => {
    const { method, headers } = request;
    return fetch(url, { method, headers, body: await request.text() });
  };
  return createWireClient(send, { token });
}

/** The values of a metric at both gateways. */
function metric(name: string): Promise<number[]> {
  return Promise.all(
    gateways.map(async ({ url }) => {
      const text = await (await fetch(new URL("/metrics", url))).text();
      return Number(new RegExp(`^${name}(?:{.*})? ([\\d.]+)`, "m").exec(text)?.[1]);
    }),
  );
}

const eventually = (name: string, value: number): Promise<void> =>
  vi.waitFor(async () => expect(await metric(name)).toEqual([value, value]), patience);

const runsOf = (tool: string): number =>
  gateways.flatMap(({ output }) => output.stderr.split("\n").filter((line) => line.includes(`ran ${tool}`))).length;

/** Redis stands still until no gateway has a lease any more. */
async function standStill(meanwhile: () => Promise<void>): Promise<void> {
  redis.pause();
  await meanwhile();
  await vi.waitFor(async () => {
    for (const seconds of await metric("lethe_lease_age_seconds")) expect(seconds).toBeGreaterThan(leaseMs / 1_000);
  }, patience);
  redis.goOn();
  await eventually("lethe_shared_up", 1);
}

async function recall(client: WireClient): Promise<unknown> {
  return (await client.callTool("keeper__recall")).result?.structuredContent;
}

it("running calls continue, and calls that are sent meanwhile run once, although Redis stands still for longer than a lease", async () => {
  const { atOwner, atOther } = await start({});
  const before = await recall(atOther);
  const running = atOther.callTool("keeper__wait");
  await vi.waitFor(() => expect(runsOf("wait")).toBe(1), patience);
  let sent: ReturnType<WireClient["callTool"]>[] = [];
  await standStill(async () => {
    sent = ["two", "two", "two"].map((text) => atOther.callTool("keeper__remember", { text }));
  });
  for (const { error } of await Promise.all(sent)) expect(error).toBeUndefined();
  expect(await recall(atOther)).toEqual({ ...(before as object), kept: ["one", "two", "two", "two"] });
  expect(await metric("lethe_replicas_lost_total")).toEqual([0, 0]);
  // Its server ends while the call runs. A call whose replica was taken for failed would have ended with another error before.
  await atOwner.callTool("keeper__die");
  expect((await running).error?.message).not.toMatch(/replica/);
}, 120_000);

it("calls over direct connections are answered while Redis stands still", async () => {
  const { atOwner, atOther } = await start({ direct: { listen: "127.0.0.1:0" } });
  await eventually("lethe_replica_links", 1);
  const before = await recall(atOther);
  const running = atOther.callTool("keeper__wait");
  await vi.waitFor(() => expect(runsOf("wait")).toBe(1), patience);
  await standStill(async () => {
    await atOther.callTool("keeper__remember", { text: "two" });
    expect(await recall(atOther)).toEqual({ ...(before as object), kept: ["one", "two"] });
  });
  expect((await recall(atOther)) as object).toMatchObject({ kept: ["one", "two"] });
  expect(await metric("lethe_replicas_lost_total")).toEqual([0, 0]);
  await atOwner.callTool("keeper__die");
  expect((await running).error?.message).not.toMatch(/replica/);
}, 120_000);

// Three replicas of a gateway with direct connections to each other: requests reach the owners of their sessions without Redis.
import { connect as connectTo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const callers = ["ann", "bob", "cid", "dee"];
const patience = { timeout: 30_000, interval: 100 };

let fleet: GatewayFleet;

beforeEach(async () => {
  fleet = await startFleet({
    servers: { keeper: { command: process.execPath, args: [keeper] } },
    upstreams: { keeper: { elicits: ["whoami"], sessions: { turnWaitMs: 20_000 } } },
    callers,
    redisSettings: { direct: { listen: "127.0.0.1:0" } },
  });
  await vi.waitFor(async () => expect(await fleet.metric("lethe_replica_links")).toEqual([2, 2, 2]), patience);
});

afterEach(() => fleet.close());

/** A client of each caller at each replica. */
function connectAll(): Promise<Client[]> {
  return Promise.all(
    callers.flatMap((name) =>
      fleet.replicas.map(({ url }) =>
        fleet.connect(name, { elicit: () => ({ action: "accept", content: { name, unit: "feet" } }) }, `${url}`),
      ),
    ),
  );
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
const throughRedis = 'lethe_replica_messages_total\\{carrier="redis"\\}';
const direct = 'lethe_replica_messages_total\\{carrier="direct"\\}';

/** Records the commands that Redis executes. */
async function monitor(): Promise<{ lines(): string[]; stop(): void }> {
  let text = "";
  const socket = connectTo(fleet.redis.port, "127.0.0.1");
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  socket.write("MONITOR\r\n");
  await vi.waitUntil(() => text.startsWith("+OK"), patience);
  return { lines: () => text.split("\r\n").slice(1), stop: () => socket.destroy() };
}

it("a forwarded call needs no command of Redis", async () => {
  const clients = await connectAll();
  const recall = () => Promise.all(clients.map((client) => client.callTool("keeper__recall", {})));
  await recall();
  const sent = sum(await fleet.metric(throughRedis));
  const forwarded = sum(await fleet.metric("lethe_requests_forwarded_total"));
  const { lines, stop } = await monitor();
  for (let round = 0; round < 10; round += 1) await recall();
  stop();
  expect(sum(await fleet.metric("lethe_requests_forwarded_total")) - forwarded).toBe(10 * 2 * callers.length);
  expect(sum(await fleet.metric(throughRedis))).toBe(sent);
  expect(sum(await fleet.metric(direct))).toBeGreaterThan(2 * 10 * 2 * callers.length);
  // Replicas send heartbeats, list each other and probe Redis also without calls.
  const ofCalls = lines().filter((line) => /session:|owner:|"lethe:replica:/.test(line) && !/NUMSUB/i.test(line));
  expect(ofCalls).toEqual([]);
});

it("input requests and their answers pass direct connections, and each call runs once", async () => {
  const clients = await connectAll();
  const calls = Array.from({ length: 60 }, (_, index) => {
    const client = clients[index % clients.length] as Client;
    return client.callTool("keeper__whoami", {});
  });
  const texts = (await Promise.all(calls)).map(({ content: [block] }) => (block && "text" in block ? block.text : ""));
  expect(texts).toEqual(
    Array.from({ length: 60 }, (_, index) => `hello ${callers[Math.floor((index % clients.length) / 3)]}`),
  );
  expect(fleet.lines.filter((line) => line.includes("ran whoami"))).toHaveLength(60);
});

it("forwarded calls continue while Redis is away", async () => {
  const clients = await connectAll();
  const recall = () => Promise.all(clients.map((client) => client.callTool("keeper__recall", {})));
  await recall();
  await fleet.redis.stop();
  await vi.waitFor(async () => expect(await fleet.metric("lethe_shared_up")).toEqual([0, 0, 0]), patience);
  expect(await recall()).toHaveLength(clients.length);
});

it("a killed replica takes its connections along, and others own its sessions soon", async () => {
  const [client, other] = await Promise.all(
    [0, 1].map((index) => fleet.connect("ann", {}, `${fleet.replicas[index]?.url}`)),
  );
  await client?.callTool("keeper__recall", {});
  await other?.callTool("keeper__recall", {});
  fleet.replicas[0]?.child.kill("SIGKILL");
  // The session of the killed replica has lost its state, which the caller learns once.
  await vi.waitFor(() => other?.callTool("keeper__recall", {}), patience);
  expect(await fleet.metric("lethe_replica_links")).toEqual([1, 1]);
  expect(fleet.lines.join("\n")).toContain("the direct connection to replica");
});

// Outages of Redis, for all replicas and for one alone: sessions stay where they are while no other replica can take them.
import { fileURLToPath } from "node:url";
import type { Client } from "@lethe/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunningGateway } from "../processes/lethe.ts";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
/** Long enough that a stall of a busy machine does not end a permit. */
const leaseMs = 6_000;
const outageMs = 9_000;
const patience = { timeout: 40_000, interval: 100 };

let fleet: GatewayFleet;

beforeEach(async () => {
  const servers = { keeper: { command: process.execPath, args: [keeper] } };
  fleet = await startFleet({ servers, callers: ["ann"], redisSettings: { leaseMs } });
});

afterEach(() => fleet.close());

async function recall(client: Client): Promise<{ pid: number; kept: string[] }> {
  return (await client.callTool("keeper__recall", {})).structuredContent as unknown as { pid: number; kept: string[] };
}

async function readinessOf({ url }: RunningGateway): Promise<string> {
  const response = await fetch(new URL("/readyz", url));
  return `${response.status} ${(await response.text()).trim()}`;
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Begins a session, and returns its owner with a client of each replica. */
async function begin() {
  const client = await fleet.connect("ann");
  await vi.waitFor(async () => expect(await fleet.metric("lethe_replicas")).toEqual([2, 2, 2]), patience);
  await vi.waitFor(() => client.callTool("keeper__remember", { text: "before" }), patience);
  const owned = await fleet.metric("lethe_session_leases");
  expect(owned.toSorted()).toEqual([0, 0, 1]);
  const clients = await Promise.all(fleet.replicas.map(({ url }) => fleet.connect("ann", {}, url)));
  // The replicas ask each other once.
  await wait(1_000);
  return { clients, owner: owned.indexOf(1) };
}

/** Calls the owner until `isOver`, and returns the length of the longest call in ms. */
async function callOwner(client: Client, isOver: () => boolean): Promise<number> {
  const { pid } = await recall(client);
  let longest = 0;
  while (!isOver()) {
    const startedAt = performance.now();
    expect(await recall(client)).toEqual({ pid, kept: ["before"] });
    longest = Math.max(longest, performance.now() - startedAt);
    await wait(50);
  }
  return longest;
}

it.each<[name: string, stop: () => () => unknown]>([
  [
    "stands still",
    () => {
      fleet.redis.pause();
      return () => fleet.redis.goOn();
    },
  ],
  [
    "is killed and comes back empty",
    () => {
      const back = fleet.restartRedis(outageMs);
      return () => back;
    },
  ],
])(
  "calls at the owner of a session go on while Redis %s for longer than a lease",
  async (_, stopRedis) => {
    const { clients, owner } = await begin();
    const goOn = stopRedis();
    const startedAt = performance.now();
    let isBack = false;
    const calls = callOwner(clients[owner] as Client, () => isBack);
    await vi.waitFor(async () => {
      for (const replica of fleet.replicas) {
        expect(await readinessOf(replica)).toBe("200 ready, without the shared store");
      }
    }, patience);
    await wait(outageMs - (performance.now() - startedAt));
    await goOn();
    await vi.waitFor(async () => {
      for (const replica of fleet.replicas) expect(await readinessOf(replica)).toMatch(/^200 ready(, but|$)/);
      for (const client of clients) expect((await recall(client)).kept).toEqual(["before"]);
    }, patience);
    isBack = true;
    expect(await calls).toBeLessThan(5_000);
  },
  120_000,
);

it("a replica that alone is cut off from Redis leaves rotation, and never serves a session that another one took", async () => {
  const { clients, owner } = await begin();
  const cutOff = fleet.replicas[owner] as RunningGateway;
  const others = clients.filter((_, index) => index !== owner);
  const { pid } = await recall(clients[owner] as Client);
  let isTaken = false;
  let isOver = false;
  const late: unknown[] = [];
  /** Calls the replica that is cut off all the time. */
  async function callCutOff(): Promise<void> {
    while (!isOver) {
      const wasTaken = isTaken;
      const signal = AbortSignal.timeout(2_000);
      const found = await (clients[owner] as Client).callTool("keeper__recall", {}, { signal }).then(
        ({ structuredContent }) => structuredContent as { pid?: number },
        () => undefined,
      );
      if (wasTaken && found?.pid === pid) late.push(found);
      await wait(50);
    }
  }
  fleet.links[owner]?.swallow();
  const calls = callCutOff();
  await vi.waitFor(
    async () => expect(await readinessOf(cutOff)).toMatch(/^503 cut off from the shared store/),
    patience,
  );
  await vi.waitFor(async () => {
    const seen = await Promise.all(others.map(recall));
    isTaken ||= seen.some((one) => one.pid !== pid);
    for (const one of seen) expect(one.kept).toEqual([]);
  }, patience);
  for (const replica of fleet.replicas)
    if (replica !== cutOff) expect(await readinessOf(replica)).toMatch(/^200 ready/);
  await others[0]?.callTool("keeper__remember", { text: "after" });
  fleet.links[owner]?.mend();
  await vi.waitFor(async () => expect(await readinessOf(cutOff)).toBe("200 ready"), patience);
  await vi.waitFor(async () => expect((await recall(clients[owner] as Client)).kept).toEqual(["after"]), patience);
  isOver = true;
  await calls;
  expect(late).toEqual([]);
}, 120_000);

// Any replica of a gateway accepts any request, although its server keeps state for each caller: behind plain round robin,
// with failing replicas and Redis.
import { fileURLToPath } from "node:url";
import { type Client, isTransportError } from "@lethe/client";
import { type CallToolResult, isJsonObject, isMcpError } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isAlive } from "../processes/process-tree.ts";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";

const keeper = fileURLToPath(new URL("../servers/keeper.mjs", import.meta.url));
const surveyor = fileURLToPath(new URL("../servers/surveyor.mjs", import.meta.url));
const callers = ["ann", "bob", "cid", "dee", "eve"];
/** What takes longer does not happen at all. */
const patience = { timeout: 40_000, interval: 100 };

let fleet: GatewayFleet;
let clients: Client[];

beforeEach(async () => {
  fleet = await startFleet({
    servers: {
      keeper: { command: process.execPath, args: [keeper] },
      surveyor: { command: process.execPath, args: [surveyor] },
    },
    upstreams: {
      surveyor: { tasks: "auto" },
      // Its other tools request no input, so they need not wait for those that do. A call whose caller lost its replica
      // may hold its turn until it expires.
      keeper: { elicits: ["whoami"], sessions: { turnWaitMs: 20_000 } },
    },
    callers,
  });
  clients = await Promise.all(
    callers.map((name) =>
      fleet.connect(name, {
        elicit: () => ({ action: "accept", content: { name, unit: "feet" } }),
        tasks: { maxPollMs: 100 },
      }),
    ),
  );
});

afterEach(async () => {
  const { children } = fleet;
  await fleet.close();
  // SIGTERM leaves no process.
  await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), patience);
});

const textOf = ({ content }: CallToolResult) => content.map((block) => ("text" in block ? block.text : "")).join("\n");
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

interface Kept {
  pid: number;
  kept: string[];
}

async function recall(client: Client): Promise<Kept> {
  return (await client.callTool("keeper__recall", {})).structuredContent as unknown as Kept;
}

/** The outcomes that a caller can handle. */
function isTyped(error: unknown): boolean {
  return isTransportError(error) || (isMcpError(error) && isJsonObject(error.data) && "reason" in error.data);
}

function reasonOf(error: unknown): unknown {
  return isMcpError(error) && isJsonObject(error.data) ? error.data.reason : String(error);
}

it("200 calls with input requests succeed and run once, in one session per caller across all replicas", async () => {
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, index) => (clients[index % 5] as Client).callTool("keeper__whoami", {})),
  );
  expect(results.map(textOf)).toEqual(Array.from({ length: 200 }, (_, index) => `hello ${callers[index % 5]}`));
  expect(fleet.lines.filter((line) => line.includes("ran whoami"))).toHaveLength(200);

  const pids = new Set<number>();
  for (const [index, client] of clients.entries()) {
    const seen = await Promise.all(Array.from({ length: 6 }, () => recall(client)));
    for (const { pid, kept } of seen) {
      pids.add(pid);
      expect(kept).toEqual(Array(40).fill(callers[index]));
    }
  }
  expect(pids.size).toBe(callers.length);
  expect(await fleet.metric("lethe_session_leases")).toHaveLength(3);
  expect(sum(await fleet.metric("lethe_session_leases"))).toBe(callers.length);
  // Two of three requests reached a replica that does not own their session.
  expect(sum(await fleet.metric("lethe_requests_forwarded_total"))).toBeGreaterThan(200);
  // The replica that is ready first may own every session. The other two then forward all requests.
  expect((await fleet.metric("lethe_requests_forwarded_total")).filter((count) => count > 0).length).toBeGreaterThan(1);
});

it("notifications during a call and cancellations pass through every replica", async () => {
  for (const client of clients) {
    for (let round = 0; round < 3; round += 1) {
      const steps: number[] = [];
      const onProgress = ({ progress }: { progress: number }) => void steps.push(progress);
      expect(textOf(await client.callTool("keeper__count", { steps: 50 }, { onProgress }))).toBe("counted");
      expect(steps).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    }
  }
  const leaving = new AbortController();
  const waits = clients.map((client) => client.callTool("keeper__wait", {}, { signal: leaving.signal }));
  await vi.waitFor(() => expect(fleet.lines.filter((line) => line.includes("ran wait"))).toHaveLength(5), patience);
  leaving.abort();
  await Promise.allSettled(waits);
  await vi.waitFor(
    () => expect(fleet.lines.filter((line) => line.includes("keeper: cancelled"))).toHaveLength(5),
    patience,
  );
});

it("anonymous callers share one session if authentication is off", async () => {
  const open = await startFleet({ servers: { keeper: { command: process.execPath, args: [keeper] } }, callers: [] });
  try {
    const client = await open.connect("nobody");
    for (let count = 1; count <= 6; count += 1) await client.callTool("keeper__remember", { text: `${count}` });
    expect((await recall(client)).kept).toEqual(["1", "2", "3", "4", "5", "6"]);
  } finally {
    await open.close();
  }
});

it("resource subscriptions work on every replica, regardless of the session's owner", async () => {
  for (const client of clients.slice(0, 3)) {
    const updates: string[] = [];
    await recall(client);
    const wanted = { resourceSubscriptions: ["keeper://kept"] };
    const subscription = await client.subscribe(wanted, (change) => void updates.push(JSON.stringify(change)));
    await vi.waitFor(async () => {
      await client.callTool("keeper__remember", { text: "x" });
      expect(updates.join()).toContain("keeper://kept");
    }, patience);
    await subscription.close();
  }
});

it("a task of the gateway is polled, requests input and ends through any replica", async () => {
  const results = await Promise.all(
    clients.map((client) => client.callTool("surveyor__survey", { place: "A", ms: 1_500 })),
  );
  expect(results.map(textOf)).toEqual(clients.map(() => "A: 12 feet"));
  expect(fleet.lines.filter((line) => line.includes("begun A"))).toHaveLength(5);
});

it("after a replica is killed, its sessions move to others, and no call hangs or runs twice", async () => {
  const before = await Promise.all(clients.map(recall));
  // These calls request no input, so they do not delay the calls that do.
  const waiters = clients.slice(3);
  const waits = waiters.map((client) => client.callTool("keeper__wait", {}).catch((error: unknown) => error));
  const calls = Array.from({ length: 50 }, (_, index) =>
    (clients[index % 3] as Client).callTool("keeper__whoami", {}).then(textOf, (error: unknown) => error),
  );
  const [killed, ...others] = fleet.replicas;
  await vi.waitFor(() => expect(fleet.lines.filter((line) => line.includes("ran wait"))).toHaveLength(2), patience);
  killed?.child.kill("SIGKILL");
  // Each caller has exactly one session again, also while calls wait for the turn of one whose caller lost its replica. Another test shows
  // how soon.
  const after = await vi.waitFor(() => Promise.all(clients.map(recall)), patience);
  const again = await Promise.all(clients.flatMap((client) => [recall(client), recall(client), recall(client)]));
  expect(new Set(again.map(({ pid }) => pid))).toEqual(new Set(after.map(({ pid }) => pid)));
  for (const outcome of await Promise.all(calls)) {
    if (typeof outcome !== "string") expect(isTyped(outcome), String(outcome)).toBe(true);
  }
  expect(fleet.lines.filter((line) => line.includes("ran whoami")).length).toBeLessThanOrEqual(50);
  // Calls in lost sessions have ended.
  for (const [index, wait] of waits.entries()) {
    if (after[index + 3]?.pid !== before[index + 3]?.pid) expect(isTyped(await wait)).toBe(true);
  }
  // Callers leave a stopped replica at once. Those whose sessions it owned are told once that their state is lost.
  expect(await others[0]?.stop()).toBe(0);
  const told = await Promise.all(clients.map((client) => recall(client).then(() => "kept", reasonOf)));
  expect(told).toEqual(after.map(({ pid }) => (isAlive(pid) ? "kept" : "session_lost")));
  await Promise.all(clients.map(recall));
  expect(await others[1]?.stop()).toBe(0);
  for (const outcome of await Promise.all(waits)) expect(isTyped(outcome), String(outcome)).toBe(true);
}, 180_000);

it("during a Redis outage, requests that need another replica wait, and every session keeps its owner", async () => {
  const before = await Promise.all(clients.map(recall));
  await fleet.redis.stop();
  await vi.waitFor(async () => expect(sum(await fleet.metric("lethe_shared_up"))).toBe(0), patience);
  expect(await (await fetch(new URL("/readyz", fleet.url))).text()).toBe("ready, without the shared store\n");
  expect((await clients[0]?.listTools())?.length).toBeGreaterThan(0);
  const told: unknown[] = [];
  const calls = Array.from({ length: 30 }, async (_, index) => {
    told.push(await recall(clients[index % 5] as Client).then(({ pid }) => pid, reasonOf));
  });
  await vi.waitFor(() => expect(told.length).toBeGreaterThan(0), patience);
  expect(told.length).toBeLessThan(calls.length);
  await fleet.restartRedis();
  await Promise.all(calls);
  expect(new Set(told)).toEqual(new Set(before.map(({ pid }) => pid)));
  const after = await vi.waitFor(async () => {
    const seen = await Promise.all(clients.flatMap((client) => [recall(client), recall(client), recall(client)]));
    return new Set(seen.map(({ pid }) => pid));
  }, patience);
  expect(after).toEqual(new Set(before.map(({ pid }) => pid)));
  for (const { output } of fleet.replicas) {
    // A busy machine may miss a heartbeat right after the reconnect. More lines would be a flood.
    const losses = output.stderr.match(/the shared store is unreachable/g);
    expect([1, 2]).toContain(losses?.length);
    expect(output.stderr.match(/the shared store is reachable again/g)).toHaveLength(losses?.length ?? 0);
  }
}, 180_000);

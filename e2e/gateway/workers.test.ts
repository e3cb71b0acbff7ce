// A gateway with two workers is one gateway to its callers and operators: each worker takes any request, and the loss of one is like
// that of a replica.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Client } from "@lethe/client";
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { isAlive } from "../processes/process-tree.ts";
import { startWorkerGateway, textOf, toKey, type WorkerGateway } from "./worker-gateway.ts";

const callers = ["ann", "bob", "cid", "dee"];
const patience = { timeout: 60_000, interval: 100 };

let gateway: WorkerGateway;
let clients: Client[];

beforeEach(async () => {
  gateway = await startWorkerGateway(callers);
  const pairs = await Promise.all(
    callers.map((name) =>
      gateway.connect(name, {
        elicit: () => ({ action: "accept", content: { name, unit: "feet" } }),
        tasks: { maxPollMs: 100 },
      }),
    ),
  );
  clients = [...pairs.map(([one]) => one), ...pairs.map(([, other]) => other)];
});

afterEach(() => gateway.close());

interface Kept {
  readonly pid: number;
  readonly kept: string[];
}

const clientOf = (index: number) => clients[index % clients.length] as Client;
const recall = async (client: Client) =>
  (await client.callTool("keeper__recall", {})).structuredContent as unknown as Kept;
const reasonOf = (error: unknown) =>
  isMcpError(error) && isJsonObject(error.data) ? error.data.reason : String(error);

it("runs calls with input requests once, in one session per caller, at whichever worker they arrive", async () => {
  const results = await Promise.all(
    Array.from({ length: 80 }, (_, index) => clientOf(index).callTool("keeper__whoami", {})),
  );
  expect(results.map(textOf)).toEqual(Array.from({ length: 80 }, (_, index) => `hello ${callers[index % 4]}`));
  expect(gateway.lines.filter((line) => line.includes("ran whoami"))).toHaveLength(80);
  const seen = await Promise.all(clients.map(recall));
  expect(new Set(seen.map(({ pid }) => pid)).size).toBe(callers.length);
  for (const [index, { kept }] of seen.entries()) expect(kept).toEqual(Array(20).fill(callers[index % 4]));
  // Both workers received requests of callers whose sessions the other one owns.
  expect(await gateway.metric("lethe_requests_forwarded_total")).toBeGreaterThan(10);
  // Metrics and administration are those of both workers.
  expect(await gateway.metric("lethe_requests_total")).toBeGreaterThanOrEqual(80);
  expect(await gateway.metric("lethe_session_leases")).toBe(callers.length);
  const { sessions } = (await gateway.admin("sessions")) as { sessions: { caller?: string }[] };
  expect(sessions.filter(({ caller }) => caller !== undefined)).toHaveLength(callers.length);
});

it("adds no affinity hint for load balancers, which cannot choose a worker", async () => {
  const response = await fetch(gateway.url, { headers: { authorization: `Bearer ${toKey("ann")}` } });
  expect(response.headers.get("lethe-affinity")).toBeNull();
  await response.text();
});

it("passes notifications, cancellations, subscriptions and tasks between workers", async () => {
  for (const client of clients) {
    const steps: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void steps.push(progress);
    expect(textOf(await client.callTool("keeper__count", { steps: 50 }, { onProgress }))).toBe("counted");
    expect(steps).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  }
  const leaving = new AbortController();
  const waits = clients.map((client) => client.callTool("keeper__wait", {}, { signal: leaving.signal }));
  const linesWith = (text: string) => gateway.lines.filter((line) => line.includes(text));
  await vi.waitFor(() => expect(linesWith("ran wait")).toHaveLength(8), patience);
  leaving.abort();
  await Promise.allSettled(waits);
  await vi.waitFor(() => expect(linesWith("keeper: cancelled")).toHaveLength(8), patience);

  for (const [one, other] of [
    [clients[0], clients[4]],
    [clients[5], clients[1]],
  ] as [Client, Client][]) {
    const updates: string[] = [];
    const wanted = { resourceSubscriptions: ["keeper://kept"] };
    const subscription = await one.subscribe(wanted, (change) => void updates.push(JSON.stringify(change)));
    await vi.waitFor(async () => {
      await other.callTool("keeper__remember", { text: "x" });
      expect(updates.join()).toContain("keeper://kept");
    }, patience);
    await subscription.close();
  }

  const surveys = await Promise.all(
    clients.map((client) => client.callTool("surveyor__survey", { place: "A", ms: 1_500 })),
  );
  expect(surveys.map(textOf)).toEqual(clients.map(() => "A: 12 feet"));
});

it("takes over when a worker is killed, ends its calls with a reason, and starts another", async () => {
  await Promise.all(clients.map(recall));
  const waits = clients.map((client) => client.callTool("keeper__wait", {}).then(textOf, reasonOf));
  await vi.waitFor(() => expect(gateway.lines.filter((line) => line.includes("ran wait"))).toHaveLength(8), patience);
  const [killed] = gateway.workers;
  const before = gateway.upstreams;
  process.kill(killed as number, "SIGKILL");
  // Requests are answered the whole time.
  for (const client of clients) await client.listTools();
  const after = await vi.waitFor(() => Promise.all(callers.map((_, index) => recall(clientOf(index)))), patience);
  await vi.waitFor(async () => expect(await gateway.metric("lethe_workers")).toBe(2), patience);
  expect(gateway.workers).not.toContain(killed);
  // Upstream processes of the killed worker have ended: sessions are at those of others.
  await vi.waitFor(() => expect(before.some((pid) => !isAlive(pid))).toBe(true), patience);
  expect(after.every(({ pid }) => isAlive(pid))).toBe(true);
  expect((await fetch(new URL("/readyz", gateway.url))).status).toBe(200);
  const again = await Promise.all(clients.map(recall));
  for (const [index, { pid }] of again.entries()) expect(pid).toBe(after[index % 4]?.pid);
  for (const client of clients) await client.close();
  for (const outcome of await Promise.all(waits)) expect(typeof outcome).toBe("string");
});

it.skipIf(process.platform !== "linux")(
  "closes connections for which its workers have no file descriptor, and serves again when they have some",
  async () => {
    const limitFiles = (soft: number) => {
      for (const pid of gateway.workers) execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${soft}:`]);
    };
    const ask = () => fetch(new URL("/healthz", gateway.url), { headers: { connection: "close" } });
    limitFiles(3);
    const refused = await Promise.allSettled(Array.from({ length: 100 }, ask));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    limitFiles(4_096);
    for (const _ of gateway.workers) expect((await ask()).status).toBe(200);
    expect(await gateway.metric("lethe_workers")).toBe(2);
  },
);

it.skipIf(process.platform !== "linux")(
  "says why a worker cannot start, and has as many as before when one can start again",
  async () => {
    const limitFiles = (soft: number) =>
      execFileSync("prlimit", [`--pid=${gateway.running.child.pid}`, `--nofile=${soft}:`]);
    const before = gateway.workers;
    limitFiles(3);
    process.kill(before[0] as number, "SIGKILL");
    const failed = () => gateway.lines.filter((line) => line.includes("worker 1 has ended: spawn"));
    await vi.waitFor(() => expect(failed().at(-1)).toContain("EMFILE"), patience);
    limitFiles(4_096);
    await vi.waitFor(() => expect(gateway.workers).toHaveLength(2), patience);
    await vi.waitFor(async () => expect(await gateway.metric("lethe_workers")).toBe(2), patience);
    const old = new Set(gateway.workers);
    await gateway.configure({ limits: { maxTools: 4_000 } });
    gateway.running.child.kill("SIGHUP");
    await vi.waitFor(() => expect(gateway.workers.filter((pid) => old.has(pid))).toEqual([]), patience);
    expect(gateway.workers).toHaveLength(2);
  },
  120_000,
);

it("reloads one worker after the other, and replaces each where only a restart applies a change", async () => {
  const before = gateway.workers;
  await gateway.configure({ policy: [{ effect: "deny", tools: ["remember"] }, { effect: "allow" }] });
  const names = async (client: Client) => (await client.listTools()).map(({ name }) => name);
  await vi.waitFor(async () => {
    for (const client of [clients[0], clients[4]] as Client[])
      expect(await names(client)).not.toContain("keeper__remember");
  }, patience);
  expect(gateway.workers).toEqual(before);

  let failures = 0;
  let isOver = false;
  const load = (async () => {
    while (!isOver) {
      const answer = await fetch(new URL("/readyz", gateway.url)).catch(() => undefined);
      if (answer?.status !== 200) failures += 1;
    }
  })();
  await gateway.configure({ limits: { maxTools: 4_000 } });
  gateway.running.child.kill("SIGHUP");
  await vi.waitFor(() => expect(gateway.workers.filter((pid) => before.includes(pid))).toEqual([]), patience);
  await vi.waitFor(async () => expect(await gateway.metric("lethe_workers")).toBe(2), patience);
  isOver = true;
  await load;
  expect(failures).toBe(0);
  expect((await recall(clients[0] as Client)).kept).toEqual([]);
});

it("keeps its workers when a change that they could not apply is taken back", async () => {
  const before = gateway.workers;
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  await gateway.configure({ admin: { port: (busy.address() as AddressInfo).port } });
  const said = (text: string) => gateway.lines.filter((line) => line.includes(text)).length;
  await vi.waitUntil(() => said("the workers are not replaced") === 1, patience);
  const applied = said("the configuration is applied");
  await gateway.configure({});
  await vi.waitUntil(() => said("the configuration is applied") > applied, patience);
  busy.close();
  expect(gateway.workers).toEqual(before);
});

// The documented load balancers in front of three replicas of a gateway, while a replica is suspended, killed or restarted.
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Balancer, findBalancer, startDocumentedBalancer } from "../processes/documented-balancers.ts";
import { type GatewayFleet, startFleet } from "./gateway-fleet.ts";
import { callOnce, type Outcome, startCallers } from "./steady-callers.ts";

const recorder = fileURLToPath(new URL("recorder.mjs", import.meta.url));
const callers = ["ann", "bob", "cid", "dee", "eve", "fay"];
const allOk = callers.map(() => "ok");
const keepAliveMs = 600;
const balancers: Balancer[] = ["nginx", "haproxy", "envoy"];

describe.each(balancers)("behind %s", (kind) => {
  let fleet: GatewayFleet;
  let file: string;
  const cleanups: (() => unknown)[] = [];

  beforeEach(async (context) => {
    const found = await findBalancer(kind);
    if ("reason" in found) return context.skip(found.reason);
    file = join(tmpdir(), `lethe-recorded-${crypto.randomUUID()}`);
    await writeFile(file, "");
    fleet = await startFleet({
      servers: { recorder: { command: process.execPath, args: [recorder, file] } },
      // A lost session costs its caller no call: the next result says so.
      upstreams: { recorder: { sharing: "session", sessions: { onLoss: "continue" } } },
      callers,
      settings: { keepAliveMs, shutdown: { delayMs: 1_000, graceMs: 10_000 } },
      startBalancer: (ports) => startDocumentedBalancer(kind, ports),
    });
    // Each caller has its session, some of them at the replica that the test stops. A busy machine may start the first servers too slowly for
    // the time limit of the load balancer.
    await vi.waitFor(async () => expect((await callAll({})).map(({ outcome }) => outcome)).toEqual(allOk), 60_000);
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    if (!fleet) return;
    for (const { child } of fleet.replicas) child.kill("SIGCONT");
    await fleet.close();
    await rm(file);
  });

  /** Another load balancer, in front of these ports. */
  async function front(...request: [ports: readonly number[], options?: { sticky: boolean }]) {
    const balancer = await startDocumentedBalancer(kind, ...request);
    cleanups.push(balancer.stop);
    return balancer;
  }

  /** A replica that fails each request in the same way. It counts the requests that arrived. */
  async function startFailing(fail: (response: ServerResponse) => void) {
    const failing = { arrived: 0, port: 0 };
    const http = createServer((request, response) => {
      if (request.method !== "POST") return response.end("ready\n");
      request.resume().on("end", () => {
        failing.arrived += 1;
        fail(response);
      });
      return undefined;
    }).listen(0, "127.0.0.1");
    await once(http, "listening");
    failing.port = (http.address() as AddressInfo).port;
    cleanups.push(() => {
      http.closeAllConnections();
      http.close();
    });
    return failing;
  }

  /** A call at a random replica. By their keys alone, no caller may reach the failing replica. */
  const callScattered = (url: string, caller: string) =>
    callOnce(url, caller, "recorder__record", {}, crypto.randomUUID());

  /** The first port is that of the failing replica. */
  const mixed = (port: number) => [port, ...fleet.replicas.slice(0, 2).map(({ url }) => Number(new URL(url).port))];

  it("a request that a replica answers with 503 runs at another replica", async () => {
    const failing = await startFailing((response) => response.writeHead(503, { "Retry-After": "1" }).end("{}"));
    const balancer = await front(mixed(failing.port));
    const outcomes: Outcome[] = [];
    for (let call = 0; call < 4 * callers.length; call += 1) {
      const before = failing.arrived;
      const outcome = await callScattered(balancer.url, callers[call % callers.length] as string);
      outcomes.push(outcome);
      if (outcome.outcome === "ok") continue;
      // nginx does not know which replica answered before, so that all of its five attempts may reach the same one.
      expect({ kind, status: outcome.status, attempts: failing.arrived - before }).toEqual({
        kind: "nginx",
        status: 503,
        attempts: 5,
      });
    }
    expect(failing.arrived).toBeGreaterThan(0);
    await expectRuns(outcomes);
  });

  it("a request is not repeated after its connection broke, because it may have started", async () => {
    const failing = await startFailing((response) => response.socket?.destroy());
    const balancer = await front(mixed(failing.port));
    const outcomes: Outcome[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const caller of callers) outcomes.push(await callScattered(balancer.url, caller));
    }
    // Each request that arrived at the failing replica failed for its caller, and ran nowhere else.
    expect(failing.arrived).toBeGreaterThan(0);
    expect(outcomes.filter(({ outcome }) => outcome !== "ok")).toHaveLength(failing.arrived);
    const counts = await runs();
    for (const { id, outcome, status } of outcomes) {
      expect(counts.get(id) ?? 0).toBe(outcome === "ok" ? 1 : 0);
      if (outcome === "ok") continue;
      // HAProxy closes the connection of the client if its connection to the replica was not new.
      if (kind === "haproxy") expect([502, 0]).toContain(status);
      else expect({ outcome, status }).toEqual({ outcome: "lost", status: 502 });
    }
  });

  /** How many requests each replica received from the load balancer. */
  const received = () =>
    Promise.all(
      fleet.replicas.map(async ({ url }) => {
        const text = await (await fetch(new URL("/metrics", url))).text();
        return [...text.matchAll(/^lethe_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
      }),
    );

  it("the variant without Redis sends each caller to one replica", async () => {
    const ports = fleet.replicas.map(({ url }) => Number(new URL(url).port));
    const sticky = await front(ports, { sticky: true });
    for (const caller of callers) {
      const before = await received();
      for (let round = 0; round < 4; round += 1) await callOnce(sticky.url, caller, "recorder__record", {});
      const increases = (await received()).map((count, index) => count - (before[index] as number));
      expect(increases.sort(), caller).toEqual([0, 0, 4]);
    }
  });

  const callAll = (args: object) =>
    Promise.all(callers.map((caller) => callOnce(fleet.url, caller, "recorder__record", args)));

  /** How often each call ran. */
  async function runs(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const id of (await readFile(file, "utf8")).split("\n")) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  async function expectRuns(outcomes: readonly Outcome[]): Promise<void> {
    const counts = await runs();
    for (const { id, outcome } of outcomes) {
      const count = counts.get(id) ?? 0;
      expect(count, `${outcome} ${id}`).toBeLessThanOrEqual(1);
      if (outcome === "ok") expect(count).toBe(1);
      if (outcome === "unavailable" || outcome === "busy") expect(count).toBe(0);
    }
  }

  it("calls that are slower than the read time-out succeed", async () => {
    for (const outcome of await callAll({ ms: 5_000 })) expect(outcome).toMatchObject({ status: 200, outcome: "ok" });
  });

  it("calls succeed while a replica is suspended, and the replica starts nothing late when it resumes", async () => {
    const load = startCallers(fleet.url, callers, "recorder__record");
    await sleep(1_000);
    fleet.replicas[0]?.child.kill("SIGSTOP");
    // Time to notice the suspension, and for sessions of that replica to move.
    await sleep(12_000);
    const settledAt = performance.now();
    await sleep(5_000);
    fleet.replicas[0]?.child.kill("SIGCONT");
    await sleep(2_000);
    await load.stop();
    for (const caller of callers) {
      const own = load.outcomes.filter((one) => one.caller === caller && one.startedAt > settledAt);
      expect(own.filter(({ outcome }) => outcome === "ok").length, caller).toBeGreaterThan(0);
    }
    // What fails may have been running: the load balancer says so, or the replica that forwarded it.
    for (const { status, outcome } of load.outcomes) {
      if (outcome !== "ok") expect(["lost", "untyped", "unavailable"], `${status}`).toContain(outcome);
    }
    await expectRuns(load.outcomes);
  });

  it("a killed replica fails at most one call of each caller, and no call before it waited for its session at other replicas", async () => {
    const load = startCallers(fleet.url, callers, "recorder__record");
    await sleep(1_000);
    await fleet.replicas[0]?.stop("SIGKILL");
    await sleep(12_000);
    await load.stop();
    const failed = load.outcomes.filter(({ outcome }) => outcome !== "ok");
    for (const { outcome, startedAt, endedAt } of failed) {
      expect(["lost", "untyped", "unavailable"]).toContain(outcome);
      // Replicas that hold a call answer 503 after `keepAliveMs`. Four or more attempts last longer than a takeover, except on a machine that
      // is too busy for it.
      if (outcome === "unavailable") expect(endedAt - startedAt).toBeGreaterThan(4 * keepAliveMs);
    }
    expect(failed.length).toBeLessThanOrEqual(callers.length);
    await expectRuns(load.outcomes);
  });

  it("no call fails when a replica is stopped", async () => {
    const load = startCallers(fleet.url, callers, "recorder__record");
    await sleep(1_000);
    await fleet.replicas[0]?.stop("SIGTERM");
    await sleep(1_000);
    await load.stop();
    expect(load.outcomes.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    await expectRuns(load.outcomes);
  });
});

// The affinity of the documented load balancers, with real replicas: how many calls reach the owner of their session, and which callers
// move when a replica is lost.
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Balancer, findBalancer, startDocumentedBalancer } from "../processes/documented-balancers.ts";
import { startNginx } from "../processes/nginx.ts";
import { type GatewayFleet, startFleet, toKey } from "./gateway-fleet.ts";
import { callOnce } from "./steady-callers.ts";

const named = (kind: string, length: number) => Array.from({ length }, (_, index) => `${kind}-${index}`);
/** Callers through the documented load balancer, through plain round robin, and without @lethe/client. */
const [callers, scattered, plain] = [named("caller", 12), named("scattered", 6), named("plain", 6)];
const calls = 10;
const balancers = await Promise.all(
  (["nginx", "haproxy", "envoy"] satisfies Balancer[]).map(async (kind) => [kind, await findBalancer(kind)] as const),
);

describe.each(balancers)("behind %s", (kind, found) => {
  const isMissing = "reason" in found;
  let fleet: GatewayFleet;
  let upstream: Serving;

  beforeAll(async () => {
    if (isMissing) return;
    const server = createServer({ name: "counter", version: "1.0.0" }).tool("count", { handler: () => "1" });
    upstream = await serve(server, { port: 0 });
    fleet = await startFleet({
      servers: { counter: { url: upstream.url } },
      upstreams: { counter: { sharing: "session", sessions: { onLoss: "continue" } } },
      callers: [...callers, ...scattered, ...plain],
      settings: { keepAliveMs: 600 },
      startBalancer: (ports) => startDocumentedBalancer(kind, ports),
    });
  }, 180_000);

  afterAll(async () => {
    await fleet?.close();
    await upstream?.close();
  });

  const forwarded = async () =>
    (await fleet.metric("lethe_requests_forwarded_total")).reduce((total, count) => total + count, 0);

  /** How many requests each replica received from the load balancer. */
  const received = () =>
    Promise.all(
      fleet.replicas.map(async ({ url }) => {
        const text = await (await fetch(new URL("/metrics", url))).text();
        return [...text.matchAll(/^lethe_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
      }),
    );

  async function callAll(clients: readonly Client[]): Promise<void> {
    for (const client of clients) {
      for (let call = 0; call < calls; call += 1) await client.callTool("counter__count");
    }
  }

  it.skipIf(isMissing)("the calls of @lethe/client reach the owner of their session", async () => {
    const roundRobin = await startNginx(fleet.replicas.map(({ url }) => Number(new URL(url).port)));
    await callAll(await Promise.all(scattered.map((caller) => fleet.connect(caller, {}, roundRobin.url))));
    await roundRobin.stop();
    const before = await forwarded();
    await callAll(await Promise.all(callers.map((caller) => fleet.connect(caller))));
    // In round robin, two of three calls reach a replica that does not own the session.
    expect(before).toBeGreaterThan(scattered.length * calls * 0.4);
    expect((await forwarded()) - before).toBe(0);
  });

  it.skipIf(isMissing)("a client that returns only the cookie, or nothing, reaches one replica", async () => {
    const before = await forwarded();
    for (const caller of plain) {
      for (let call = 0; call < 3; call += 1) {
        expect(await callOnce(fleet.url, caller, "counter__count", {})).toMatchObject({ status: 200 });
      }
    }
    expect((await forwarded()) - before).toBe(0);
    const requests = await received();
    for (const caller of callers.slice(0, 6)) {
      const headers = { authorization: `Bearer ${toKey(caller)}`, cookie: "lethe_affinity=a-cookie-of-a-client" };
      await (await connect(fleet.url, { headers })).close();
    }
    const increases = (await received()).map((count, index) => count - (requests[index] as number));
    expect(increases.sort((one, other) => one - other)).toEqual([0, 0, 6]);
  });

  it.skipIf(isMissing)("the loss of a replica moves only its own share of the callers", async () => {
    const clients = await Promise.all(callers.map((caller) => fleet.connect(caller)));
    await vi.waitFor(() => callAll(clients), 60_000);
    const before = await fleet.metric("lethe_session_leases");
    await fleet.replicas[2]?.stop("SIGKILL");
    // Requests wait until another replica owns their session.
    await vi.waitFor(() => callAll(clients), 60_000);
    const [first = 0, second = 0] = await fleet.metric("lethe_session_leases");
    expect(before[2]).toBeGreaterThan(0);
    expect(first).toBeGreaterThanOrEqual(before[0] ?? 0);
    expect(second).toBeGreaterThanOrEqual(before[1] ?? 0);
    expect(first + second).toBeGreaterThanOrEqual(callers.length);
    // A request that waited for a lost session may have been retried elsewhere, and that replica owns it now. A busy machine may fail
    // health checks, which moves callers for a moment.
    await vi.waitFor(async () => {
      const forwards = await forwarded();
      await callAll(clients);
      expect((await forwarded()) - forwards).toBeLessThan((callers.length * calls) / 2);
    }, 60_000);
  });
});

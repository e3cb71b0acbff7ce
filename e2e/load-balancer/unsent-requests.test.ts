// The documented load balancers while no replica accepts requests: callers learn that their request was sent to none.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startDocumentedBalancer } from "../processes/documented-balancers.ts";
import { callOnce, type Outcome } from "./steady-callers.ts";

const cleanups: (() => unknown)[] = [];
const unsent = { outcome: "unavailable", status: 503, retryAfter: "1" };

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Calls through a load balancer in front of these ports. */
async function startCaller(kind: "nginx" | "haproxy", ports: readonly number[]): Promise<() => Promise<Outcome>> {
  const balancer = await startDocumentedBalancer(kind, ports);
  cleanups.push(balancer.stop);
  return () => callOnce(balancer.url, "ann", "record", {});
}

it.each(["nginx", "haproxy"] as const)(
  "%s answers 503 with Retry-After where every replica refuses connections",
  async (kind) => {
    const call = await startCaller(kind, await Promise.all([findFreePort(), findFreePort(), findFreePort()]));
    expect(await call()).toMatchObject(unsent);
  },
);

it("nginx says lost for a request that it sent, and answers 503 with Retry-After once it has taken every replica out", async () => {
  let arrived = 0;
  const failing = createServer((request) => {
    arrived += 1;
    request.socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(failing, "listening");
  cleanups.push(() => failing.close());
  const { port } = failing.address() as AddressInfo;
  const call = await startCaller("nginx", [port, port, port]);
  const outcomes: Outcome[] = [];
  while (outcomes.at(-1)?.status !== 503 && outcomes.length < 10) outcomes.push(await call());
  expect(outcomes.pop()).toMatchObject(unsent);
  expect(outcomes).toHaveLength(arrived);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ outcome: "lost", status: 502 });
});

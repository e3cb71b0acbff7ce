// What replicas can do while Redis is full and rejects new keys.
import type { Redis } from "ioredis";
import { expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import { callOf, createLastingEvidence, ownerOf, useReplicas } from "../testing/replicas.ts";

const startReplicas = useReplicas();
const done = { resultType: "complete", content: [{ type: "text", text: "done" }] } as const;

/** Fills Redis far above a limit of 4 MiB, so that it rejects every write that needs memory. */
async function fill(client: Redis): Promise<void> {
  for (let count = 0; count < 6; count += 1) await client.set(`fill:${count}`, "x".repeat(1_000_000));
  await client.config("SET", "maxmemory", "4mb");
  await expect(client.set("fill", "x")).rejects.toThrow("OOM");
}

test("sessions continue at their owner and through other replicas while Redis is full", async () => {
  const { join, connect } = await startReplicas();
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const owner = await join({ leaseMs: 500, dispatchAt: () => async () => done, onProblem });
  const other = await join({ leaseMs: 500, onProblem });
  await owner.acquire("a");
  expect(await ownerOf(other, "a")).toBe(owner.self);
  const { client, nameOf } = await connect();
  await fill(client);
  const since = performance.now();
  // Several leases long, the owner proves its ownership again and again.
  await vi.waitFor(
    async () => {
      expect(await ownerOf(owner, "a")).toBe(owner.self);
      expect(await ownerOf(other, "a")).toBe(owner.self);
      const dispatch = await other.reach(owner.self, "/mcp");
      expect(await dispatch?.(callOf("tool"), createFakeExchange())).toEqual(done);
      if (performance.now() < since + 2_000) throw new Error("not long enough");
    },
    { timeout: 20_000, interval: 100 },
  );
  await vi.waitFor(() => expect(owner.holds("a")).toBe(true), 5_000);
  const before = await client.pttl(nameOf(`lease:${owner.self}`));
  expect(before).toBeGreaterThan(0);
  await expect(owner.acquire("b")).rejects.toMatchObject({
    reason: "unavailable",
    message: expect.stringContaining("Redis rejected the request"),
  });
  await expect(other.acquire("b")).rejects.toMatchObject({ reason: "unavailable" });
  expect(problems).toEqual([]);
  await client.config("SET", "maxmemory", "0");
  expect(await ownerOf(other, "b")).toBe(other.self);
}, 60_000);

test("a replica whose lease and sessions a full Redis has lost records them again", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const owner = await join({ leaseMs: 500, connection, evidence: createLastingEvidence() });
  const other = await join({ leaseMs: 500 });
  for (const key of ["a", "b"]) await owner.acquire(key);
  const { client } = await connect();
  await fill(client);
  const names = await client.keys("lethe:claim:*");
  await client.del(...names, ...(await client.keys("lethe:lease:*")));
  await vi.waitFor(() => expect(["a", "b"].map((key) => owner.holds(key))).toEqual([true, true]), 10_000);
  // A lost record of a session is noticed with the lease or the connection.
  await vi.waitFor(async () => expect(await client.exists(...names)).toBe(2), 10_000);
  for (const key of ["a", "b"]) expect(await ownerOf(other, key)).toBe(owner.self);
}, 60_000);

// How soon the sessions of a replica that ended without notice are free, and whose are never taken early.
import { createKeyFingerprints } from "@lethe/server/forwarding";
import { expect, test, vi } from "vitest";
import { ownerOf, ring, useReplicas } from "../testing/replicas.ts";
import type { ReplicaChange } from "./membership.ts";

const startReplicas = useReplicas();
/** So long that no lease expires during a test. */
const leaseMs = 60_000;
const times = { leaseMs, heartbeatMs: 40, validMs: 100 };

test("the lease of a killed replica is revoked long before it expires, and the others report the loss", async () => {
  const { join, connect } = await startReplicas();
  const changes: ReplicaChange[] = [];
  const other = await join({ ...times, onReplica: (change) => void changes.push(change) });
  const dying = await connect();
  const killed = await join({ ...times, connection: dying });
  expect(await ownerOf(killed, "a")).toBe(killed.self);
  expect(await ownerOf(other, "a")).toBe(killed.self);
  await vi.waitFor(() => expect(other.replicas).toBe(1), 10_000);
  dying.close();
  await vi.waitFor(() => expect(other.replicasLost).toBe(1), 10_000);
  expect(await other.acquire("a")).toEqual({ owner: other.self, formerOwner: killed.self });
  expect(changes).toEqual([
    { kind: "joined", replica: killed.self, others: 1 },
    { kind: "lost", replica: killed.self, others: 0 },
  ]);
});

test("a living replica removes the mark of suspicion with its next heartbeat", async () => {
  const { join, connect } = await startReplicas();
  const living = await join(times);
  await living.acquire("a");
  const { client, nameOf } = await connect();
  const mark = nameOf(`suspect:${living.self}`);
  await client.set(mark, "mark");
  await vi.waitFor(async () => expect(await client.exists(mark)).toBe(0), 10_000);
  expect(await ownerOf(await join(times), "a")).toBe(living.self);
});

test("a replica of an earlier build is never suspected, as it removes no marks", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const other = await join({ ...times, connection });
  const { client, nameOf } = await connect();
  const { own } = await createKeyFingerprints(ring);
  await client.set(nameOf("lease:earlier"), own, "PX", leaseMs);
  await client.sadd(nameOf("replicas"), "earlier");
  await vi.waitFor(() => expect(other.replicas).toBe(1), 10_000);
  const looks = vi.spyOn(connection.client, "call");
  await vi.waitFor(() => expect(looks.mock.calls.filter(([command]) => command === "PUBSUB")).toHaveLength(3), 10_000);
  expect(await client.exists(nameOf("lease:earlier"))).toBe(1);
  expect(await client.exists(nameOf("suspect:earlier"))).toBe(0);
  expect(other.replicasLost).toBe(0);
});

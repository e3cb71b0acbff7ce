// What a replica reports about the others after Redis stood still for longer than a lease, and how soon it knows one that joins.
import { expect, it } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import type { RedisLink } from "../connection/redis-link.ts";
import { createRedisEvidence } from "./evidence.ts";
import { formatLeaseEntry } from "./lease-entry.ts";
import { Membership } from "./membership.ts";
import { Restraint } from "./restraint.ts";
import { Suspicion } from "./suspicion.ts";
import { toTimings } from "./timings.ts";

const timings = toTimings({});
const manyReplicas = Array.from({ length: 21 }, (_, index) => `replica ${index}`);
const entry = formatLeaseEntry({ ...timings, fingerprints: "f", address: undefined });

async function setUp(others: readonly string[] = ["two"]) {
  const clock = createManualClock();
  const changes: string[] = [];
  const announcedTo: string[] = [];
  let listed = others;
  let hasLease = true;
  let held: Promise<void> = Promise.resolve();
  const client = {
    async evalsha() {
      await held;
      const rowOf = (replica: string) => [replica, hasLease ? entry : "", entry, hasLease ? timings.leaseMs : -2];
      return [0, ...listed.flatMap(rowOf)];
    },
  };
  const connection = { client, nameOf: (name: string) => name, subscribersOf: async () => [1] } as unknown as RedisLink;
  const common = { connection, clock, self: "one", entry, timings, evidence: createRedisEvidence() };
  const restraint = new Restraint(common);
  const membership = new Membership({
    ...{ ...common, restraint, suspicion: new Suspicion({ ...common, restraint }) },
    announce: (replica) => void announcedTo.push(replica),
    onChange: ({ kind, replica }) => void changes.push(`${kind} ${replica}`),
  });
  await membership.start();
  /** Redis stands still. The first list after that finds no lease of the other replica. */
  async function standStill(): Promise<void> {
    let end = (): void => {};
    held = new Promise((resolve) => {
      end = resolve;
    });
    await clock.advance(4_000);
    hasLease = false;
    end();
    await clock.advance(0);
  }
  const renew = (): void => {
    hasLease = true;
  };
  /** Another replica joins, and says so. */
  function join(replica: string): void {
    listed = [...listed, replica];
    membership.announced(replica);
  }
  return { clock, membership, changes, announcedTo, join, standStill, renew };
}

it("a replica that renews its lease when Redis continues is not reported as lost", async () => {
  const { clock, membership, changes, standStill, renew } = await setUp();
  await standStill();
  // Its own lease has expired, too, so it introduces itself, and lists the others once more.
  await membership.introduce();
  expect([membership.others, membership.alive, membership.isListed("two")]).toEqual([1, ["two"], false]);
  renew();
  await clock.advance(5_000);
  expect([changes, membership.lost, membership.isListed("two")]).toEqual([[], 0, true]);
});

it("a replica that does not renew its lease when Redis continues is reported as lost by the next list", async () => {
  const { clock, membership, changes, standStill } = await setUp();
  await standStill();
  expect(changes).toEqual([]);
  await clock.advance(1_000);
  expect([changes, membership.lost, membership.others]).toEqual([["lost two"], 1, 0]);
});

it("a replica announces itself to those that it lists when it joins, and not later", async () => {
  const { clock, announcedTo } = await setUp(["two", "three"]);
  await clock.advance(10_000);
  expect(announcedTo).toEqual(["two", "three"]);
});

it("a replica that announces itself is listed within a heartbeat", async () => {
  const { clock, changes, join } = await setUp([]);
  join("two");
  join("three");
  await clock.advance(timings.heartbeatMs);
  expect(changes).toEqual(["joined two", "joined three"]);
});

it("a replica that lists more than twenty others announces itself to none of them", async () => {
  const { announcedTo } = await setUp(manyReplicas);
  expect(announcedTo).toEqual([]);
});

it("among more than twenty replicas, one that announces itself waits for the next list", async () => {
  const { clock, changes, join } = await setUp(manyReplicas);
  join("two");
  await clock.advance(timings.heartbeatMs);
  expect(changes).toEqual([]);
  await clock.advance(2_000);
  expect(changes).toEqual(["joined two"]);
});

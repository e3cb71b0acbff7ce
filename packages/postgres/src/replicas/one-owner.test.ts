// No two replicas own a session at the same moment, also when messages and renewals are late.
import { expect, test } from "vitest";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { usePostgres } from "../testing/own-postgres.ts";
import { acquireSoon, type HeldLink, holdable, join } from "../testing/replicas.ts";
import type { PostgresDirectory } from "./postgres-directory.ts";

const own = usePostgres();
const leaseMs = 150;
const keys = ["a", "b", "c", "d"];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A generator of numbers below 1 that a seed determines. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Statements and their answers are delayed, a few of them for longer than a lease. */
function delay(link: PostgresLink, random: () => number, isSlow: () => boolean): PostgresLink {
  const delayMs = () => (!isSlow() ? 0 : random() < 0.05 ? 2 * leaseMs * random() : 4 * random());
  const run: PostgresLink["run"] = async (statement, values) => {
    await pause(delayMs());
    const rows = await link.run(statement, values);
    await pause(delayMs());
    return rows as never;
  };
  return { ...link, run, isUp: true };
}

test("at every moment at most one replica owns a session, while statements and answers are late and replicas are cut off", async () => {
  const random = createRandom(7);
  const links: HeldLink[] = [];
  let isSlow = false;
  const replicas: PostgresDirectory[] = [];
  for (let index = 0; index < 3; index += 1) {
    const held = holdable(await own.connect({ maxConnections: 20 }));
    links.push(held);
    replicas.push(await join(own, { postgres: delay(held.link, random, () => isSlow), leaseMs }));
  }
  isSlow = true;
  const conflicts: string[] = [];
  const check = (): void => {
    for (const key of keys) {
      const owners = replicas.filter((replica) => replica.holds(key));
      if (owners.length > 1) conflicts.push(key);
    }
  };
  const timer = setInterval(check, 1);
  let takeovers = 0;
  let isOver = false;
  const work = replicas.map(async (replica) => {
    while (!isOver) {
      const key = keys[Math.floor(random() * keys.length)] as string;
      const { owner, formerOwner } = await acquireSoon(replica, key);
      check();
      if (formerOwner !== undefined) takeovers += 1;
      if (owner === replica.self && random() < 0.3) replica.release(key);
      await pause(10 * random());
    }
  });
  for (let round = 0; round < 12; round += 1) {
    const cut = links[round % links.length];
    cut?.hold();
    await pause(2.5 * leaseMs);
    cut?.letGo();
    await pause(leaseMs);
  }
  isOver = true;
  isSlow = false;
  await Promise.all(work);
  clearInterval(timer);
  expect(conflicts).toEqual([]);
  expect(takeovers).toBeGreaterThan(0);
}, 60_000);

// Gateway replicas and servers while a stand-by replaces the primary of PostgreSQL, which is killed.
import { createKeyRing, type Round } from "@lethe/server/stores";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { connectPostgres, type PostgresConnection } from "./connection/postgres-connection.ts";
import { createPostgresDirectory, type PostgresDirectory } from "./replicas/postgres-directory.ts";
import { createPostgresSingleUseStore } from "./seal/postgres-single-use-store.ts";
import { keys } from "./testing/own-postgres.ts";
import { type RunningPostgres, startPostgres } from "./testing/postgres-server.ts";
import { acquireSoon } from "./testing/replicas.ts";
import { startTasks } from "./testing/running-tasks.ts";
import { openSwitchedProxy, type SwitchedProxy } from "./testing/switched-proxy.ts";

const patience = { timeout: 60_000, interval: 50 };
const ends: (() => unknown)[] = [];
const atEnd = (end: () => unknown): void => void ends.push(end);

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Pair {
  readonly primary: RunningPostgres;
  readonly standBy: RunningPostgres;
}

async function startServers(): Promise<Pair> {
  const primary = await startPostgres();
  atEnd(() => primary.stop());
  // An account without special rights.
  await administer(primary, "CREATE ROLE counter LOGIN", "CREATE DATABASE counted OWNER counter");
  const standBy = await startPostgres({ standByOf: primary });
  atEnd(() => standBy.stop());
  return { primary, standBy };
}

async function openAddress({ port }: RunningPostgres): Promise<SwitchedProxy & { readonly url: string }> {
  const proxy = await openSwitchedProxy(port);
  atEnd(() => proxy.close());
  return { ...proxy, url: `postgres://counter@127.0.0.1:${proxy.port}/counted` };
}

async function administer({ url }: RunningPostgres, ...texts: string[]): Promise<pg.QueryResult | undefined> {
  const client = new pg.Client(url);
  await client.connect();
  let result: pg.QueryResult | undefined;
  for (const text of texts) result = await client.query(text);
  await client.end();
  return result;
}

async function hasRow(server: RunningPostgres, text: string): Promise<boolean> {
  return (await administer(server, text))?.rowCount === 1;
}

/** Every commit waits for the stand-by. */
async function replicateSynchronously({ primary }: Pair): Promise<void> {
  await administer(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
  const text = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  await vi.waitFor(async () => expect(await hasRow(primary, text)).toBe(true), patience);
}

/** The stand-by gets none of the following commits. */
async function stopReplication({ primary, standBy }: Pair): Promise<void> {
  const caughtUp = "SELECT FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()";
  await vi.waitFor(async () => expect(await hasRow(primary, caughtUp)).toBe(true), patience);
  await administer(standBy, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
  await vi.waitFor(async () => expect(await hasRow(primary, "SELECT FROM pg_stat_replication")).toBe(false), patience);
}

async function failOver({ primary, standBy }: Pair): Promise<void> {
  await primary.kill();
  await standBy.promote();
}

async function connect(url: string): Promise<PostgresConnection> {
  const connection = await connectPostgres({ url });
  atEnd(() => connection.close());
  return connection;
}

async function join(url: string, leaseMs: number): Promise<PostgresDirectory> {
  const postgres = await connect(url);
  const parts = { postgres, ring: createKeyRing(keys), dispatchAt: () => undefined, onProblem() {} };
  const directory = await createPostgresDirectory({ ...parts, leaseMs });
  atEnd(() => directory.close());
  return directory;
}

/** Records each session that has two owners at a time, at every ms. */
function watchOwners(replicas: readonly PostgresDirectory[], sessions: readonly string[]): Set<string> {
  const conflicts = new Set<string>();
  const timer = setInterval(() => {
    for (const session of sessions) {
      if (replicas.filter((replica) => replica.holds(session)).length > 1) conflicts.add(session);
    }
  }, 1);
  atEnd(() => clearInterval(timer));
  return conflicts;
}

test("with synchronous replication, a failover loses no session and no used token, and repeats no step of a task", async () => {
  const servers = await startServers();
  const address = await openAddress(servers.primary);
  await replicateSynchronously(servers);
  const [one, two] = [await join(address.url, 2_000), await join(address.url, 2_000)];
  const sessions = Array.from({ length: 30 }, (_, index) => `session ${index}`);
  const conflicts = watchOwners([one, two], sessions);
  const ownerOf = (session: string) => (sessions.indexOf(session) % 2 === 0 ? one : two);
  for (const session of sessions) await acquireSoon(ownerOf(session), session);
  const lost: string[] = [];
  for (const replica of [one, two]) replica.onLost((session) => lost.push(session));
  const store = await createPostgresSingleUseStore(await connect(address.url), { keys });
  const round: Round = { id: "round", callerId: "ann", expiresAt: Date.now() + 600_000, inputs: "yes" };
  expect(await store.claim(round)).toEqual({ status: "claimed" });
  await store.settle(round, "answer");
  const own = { connect: () => connect(address.url), atEnd };
  const { begun, completed } = await startTasks(own, { count: 30, steps: 4, stepMs: 1_000 });
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(35), patience);

  await failOver(servers);
  address.switchTo(servers.standBy.port);
  await completed(60_000);
  for (const session of sessions) {
    for (const replica of [one, two]) {
      expect((await acquireSoon(replica, session)).owner).toBe(ownerOf(session).self);
    }
  }
  expect([lost, [...conflicts]]).toEqual([[], []]);
  expect(await store.claim(round)).toEqual({ status: "answered", answer: "answer" });
  expect(begun).toHaveLength(30 * 4);
  expect(new Set(begun).size).toBe(30 * 4);
}, 180_000);

test("a session has one owner at a time after a failover to a stand-by that lacks the last commits", async () => {
  const servers = await startServers();
  const addresses = [await openAddress(servers.primary), await openAddress(servers.primary)] as const;
  const leaseMs = 10_000;
  const [one, two] = [await join(addresses[0].url, leaseMs), await join(addresses[1].url, leaseMs)];
  const conflicts = watchOwners([one, two], ["new", "moved", "old"]);
  await acquireSoon(one, "moved");
  await acquireSoon(two, "old");
  await stopReplication(servers);
  one.release("moved");
  await vi.waitFor(async () => {
    expect((await two.acquire("moved", { isForwarded: true })).owner).toBe(two.self);
  }, patience);
  await acquireSoon(two, "new");

  await failOver(servers);
  addresses[0].switchTo(servers.standBy.port);
  // The other replica reaches the promoted server later, and is the owner of its sessions until its lease ends.
  const [taken, moved] = await Promise.all(["new", "moved"].map((session) => acquireSoon(one, session)));
  addresses[1].switchTo(servers.standBy.port);
  for (const acquired of [taken, moved]) expect(acquired?.owner).toBe(one.self);
  for (const session of ["new", "moved"]) expect((await acquireSoon(two, session)).owner).toBe(one.self);
  expect((await acquireSoon(one, "old")).owner).toBe(two.self);
  expect([...conflicts]).toEqual([]);
}, 180_000);

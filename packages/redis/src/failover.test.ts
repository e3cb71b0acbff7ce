// Failovers of a shard of a Redis Cluster, and of a primary that Sentinels watch, and moves of slots, while replicas forward requests and
// share sessions.
import type { Dispatch, Result } from "@lethe/protocol";
import { createKeyRing, isReplicaError } from "@lethe/server/stores";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createFakeExchange } from "../../gateway/src/testing/fakes.ts";
import { createClusterNames, directoryName } from "./connection/cluster-names.ts";
import { keySlot } from "./connection/key-slot.ts";
import { connectRedis, type RedisConnection } from "./connection/redis-connection.ts";
import { createRedisDirectory, type RedisDirectory } from "./replicas/redis-directory.ts";
import { moveSlot, readShardChannels } from "./testing/move-slot.ts";
import { keys } from "./testing/own-redis.ts";
import { startCluster } from "./testing/redis-cluster.ts";
import { type RunningRedis, startRedis } from "./testing/redis-server.ts";
import { callOf } from "./testing/replicas.ts";
import { startSentinels } from "./testing/sentinel.ts";

const done: Result = { resultType: "complete", content: [] };
const sessions = Array.from({ length: 30 }, (_, index) => `session ${index}`);
const patience = { timeout: 60_000, interval: 100 };
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Member {
  readonly directory: RedisDirectory;
  readonly connection: RedisConnection;
  readonly lost: string[];
}

async function join(url: string): Promise<Member> {
  const lost: string[] = [];
  const connection = await connectRedis({ url, timeoutMs: 2_000, onLost: (reason) => lost.push(reason) });
  ends.push(() => connection.close());
  const dispatchAt = () => async () => done;
  const directory = await createRedisDirectory({ connection, ring: createKeyRing(keys), dispatchAt, onProblem() {} });
  ends.push(() => directory.close());
  return { directory, connection, lost };
}

/** Forwards requests to the owners of all sessions. Returns how many were answered, and why the others failed. */
async function forwardAll(from: RedisDirectory): Promise<{ answered: number; failures: string[] }> {
  const failures: string[] = [];
  let answered = 0;
  for (const session of sessions) {
    try {
      const { owner } = await from.acquire(session);
      if (owner !== from.self) {
        const dispatch = (await from.reach(owner, "/mcp")) as Dispatch | undefined;
        if (!dispatch) throw new Error("the owner is gone");
        await dispatch(callOf("tool"), createFakeExchange());
      }
      answered += 1;
    } catch (error) {
      failures.push(isReplicaError(error) ? error.reason : String(error));
    }
  }
  return { answered, failures };
}

interface Deployment {
  readonly url: string;
  /** The server that is killed. */
  readonly victim: RunningRedis;
  stop(): Promise<void>;
}

const directoryShard = Math.floor((3 * keySlot(createClusterNames("lethe:")(directoryName))) / 16_384);
const deployments: [name: string, victim: string, start: () => Promise<Deployment>][] = [
  ["a Redis Cluster", "the shard of the directory", () => startShards(directoryShard)],
  ["a Redis Cluster", "another shard", () => startShards((directoryShard + 1) % 3)],
  ["Sentinels with a password", "the primary", () => startWatched("secret")],
];

async function startShards(index: number): Promise<Deployment> {
  const { url, primaries, stop } = await startCluster({ hasStandbys: true });
  return { url, victim: primaries[index] as RunningRedis, stop };
}

async function startWatched(password: string): Promise<Deployment> {
  const { url, primary, stop } = await startSentinels(password);
  return { url, victim: primary, stop };
}

describe.each(deployments)("with %s", (_, name, start) => {
  it(`sessions keep their one owner when ${name} is killed under load`, async () => {
    const { url, victim, stop } = await start();
    ends.push(stop);
    const [one, two] = [await join(url), await join(url)];
    for (const session of sessions) await vi.waitFor(() => one.directory.acquire(session), patience);
    expect(await forwardAll(two.directory)).toEqual({ answered: sessions.length, failures: [] });
    const messages: string[] = [];
    await one.connection.subscribe("news", (text) => messages.push(text));

    await victim.stop();
    const failures = new Set<string>();
    await vi.waitFor(async () => {
      // Both want every session all the time.
      const [mine, theirs] = await Promise.all([forwardAll(one.directory), forwardAll(two.directory)]);
      for (const { failures: some } of [mine, theirs]) for (const failure of some) failures.add(failure);
      for (const session of sessions) {
        expect([one, two].filter(({ directory }) => directory.holds(session)).length).toBeLessThanOrEqual(1);
      }
      expect(mine.answered + theirs.answered).toBe(2 * sessions.length);
      expect(one.connection.isUp && two.connection.isUp).toBe(true);
    }, patience);

    // What failed is known to have not started, or is reported as lost.
    expect(["busy", "lost", "unavailable"]).toEqual(expect.arrayContaining([...failures]));
    await vi.waitFor(async () => {
      await two.connection.publish("news", "back");
      expect(messages).toContain("back");
    }, patience);
  }, 180_000);
});

it("sessions keep their one owner when the slots of the directory and of all channels move under load", async () => {
  const { url, primaries, stop } = await startCluster();
  ends.push(stop);
  const [one, two] = [await join(url), await join(url)];
  for (const session of sessions) await vi.waitFor(() => one.directory.acquire(session), patience);
  expect(await forwardAll(two.directory)).toEqual({ answered: sessions.length, failures: [] });
  const messages: string[] = [];
  await one.connection.subscribe("news", (text) => messages.push(text));
  const channels = await readShardChannels(primaries);
  expect(channels.length).toBeGreaterThanOrEqual(3);
  const slots = new Set([createClusterNames("lethe:")(directoryName), ...channels].map(keySlot));

  const failures = new Set<string>();
  const moves = (async () => {
    for (const slot of slots) {
      const shard = Math.floor((3 * slot) / 16_384);
      await moveSlot(primaries, slot, primaries[(shard + 1) % 3] as RunningRedis);
    }
  })();
  let areMoved = false;
  void moves.then(() => {
    areMoved = true;
  });
  await vi.waitFor(async () => {
    const [mine, theirs] = await Promise.all([forwardAll(one.directory), forwardAll(two.directory)]);
    for (const failure of [...mine.failures, ...theirs.failures]) failures.add(failure);
    expect(areMoved).toBe(true);
    expect(mine.answered + theirs.answered).toBe(2 * sessions.length);
    expect(one.connection.isUp && two.connection.isUp).toBe(true);
  }, patience);
  await moves;

  for (const session of sessions) expect((await two.directory.acquire(session)).owner).toBe(one.directory.self);
  expect(["busy", "lost", "unavailable"]).toEqual(expect.arrayContaining([...failures]));
  await vi.waitFor(async () => {
    await two.connection.publish("news", "back");
    expect(messages).toContain("back");
  }, patience);
}, 180_000);

it("a URL of a single server is refused by a Cluster, with the form to write", async () => {
  const cluster = await startCluster();
  ends.push(cluster.stop);
  const [first] = cluster.primaries;
  await expect(connectRedis({ url: first?.url ?? "" })).rejects.toThrow(
    "this is a Redis Cluster: write its URL as redis+cluster://host:port[,host:port]",
  );
}, 60_000);

it("the URL of a Cluster is refused by a single server", async () => {
  const redis = await startRedis();
  ends.push(() => redis.stop());
  await expect(connectRedis({ url: `redis+cluster://127.0.0.1:${redis.port}` })).rejects.toThrow(
    'cannot be used: ERR This instance has cluster support disabled; it is no Cluster: remove "+cluster"',
  );
}, 60_000);

it("a Cluster whose nodes do not name their addresses is refused in time, with the remedy", async () => {
  const redis = await startRedis(undefined, ["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf"]);
  ends.push(() => redis.stop());
  const admin = new Redis(redis.port, "127.0.0.1");
  await admin.call("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
  admin.disconnect();
  const attempt = connectRedis({ url: `redis+cluster://127.0.0.1:${redis.port}`, timeoutMs: 2_000 });
  await expect(attempt).rejects.toThrow(/cannot be used: .*cluster-announce-ip/);
}, 60_000);

it("a connection by Sentinels comes back when a failover is announced while it connects", async () => {
  const { url, stop } = await startSentinels();
  ends.push(stop);
  const { connection } = await join(url);
  const { client } = connection;
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  // What ioredis does when a Sentinel announces a new primary.
  const { connector } = client as unknown as { connector: { disconnect(): void } };
  client.once("connecting", () => setImmediate(() => connector.disconnect()));
  client.stream.destroy();
  await ended;
  await vi.waitFor(() => expect(connection.isUp).toBe(true), patience);
  connection.close();
  await vi.waitFor(() => expect(client.status).toBe("end"), patience);
}, 120_000);

it("the URL of one server is refused by a Sentinel, with the form to write, and the URL of Sentinels by a server", async () => {
  const watched = await startSentinels();
  ends.push(watched.stop);
  const [, sentinel] = /(127[^,]*)/.exec(watched.url) ?? [];
  await expect(connectRedis({ url: `redis://${sentinel}` })).rejects.toThrow(
    `Redis at redis://${sentinel} cannot be used: it is a Sentinel; write its URL as redis+sentinel://host:port[,host:port]/PRIMARY`,
  );
  const { port } = watched.primary;
  await expect(connectRedis({ url: `redis+sentinel://127.0.0.1:${port}/main` })).rejects.toThrow(
    /; its URL must name the Sentinels, which usually have port 26379$/,
  );
  await expect(connectRedis({ url: "redis+sentinel://127.0.0.1:1/main" })).rejects.toThrow(
    "cannot be used: connect ECONNREFUSED 127.0.0.1:1; check that it runs",
  );
}, 60_000);

it("a name that the Sentinels do not know is reported", async () => {
  const watched = await startSentinels();
  ends.push(watched.stop);
  await expect(connectRedis({ url: watched.url.replace("/main", "/other"), timeoutMs: 2_000 })).rejects.toThrow(
    "cannot be used: ERR No such master with that name; correct the name",
  );
}, 60_000);

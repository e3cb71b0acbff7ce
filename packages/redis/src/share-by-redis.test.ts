// Replicas with the shared state of a gateway, each with a listener at which the others ask it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pause, systemClock } from "@lethe/server/stores";
import { afterEach, expect, test, vi } from "vitest";
import { type RedisShare, type RedisShareSettings, shareByRedis } from "./share-by-redis.ts";
import { openCuttableProxy } from "./testing/cuttable-proxy.ts";
import { type RunningRedis, startRedis } from "./testing/redis-server.ts";
import { ring } from "./testing/replicas.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const patience = { timeout: 30_000, interval: 50 };
/** Long enough that a stall of a busy machine does not end a permit. */
const leaseMs = 6_000;

async function start(port?: number): Promise<RunningRedis> {
  const redis = await startRedis(port);
  ends.push(() => redis.stop());
  return redis;
}

async function join(url: string, settings: Partial<RedisShareSettings> = {}) {
  let share: RedisShare | undefined;
  const server = createServer((request, response) => {
    const { path, header } = (share as RedisShare).peers;
    const question = request.url === path ? request.headers[header] : undefined;
    const answer = typeof question === "string" ? share?.peers.answer(question) : undefined;
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? "not found");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const problems: string[] = [];
  share = await shareByRedis({
    settings: { url, leaseMs, ...settings },
    ...{ ring, listens: { host: "0.0.0.0", port }, dispatchAt: () => undefined, onLost() {}, onBack() {} },
    onProblem: (problem) => void problems.push(problem),
  });
  const joined = share;
  ends.push(() => joined.close());
  return { share: joined, directory: joined.directory, problems };
}

async function joinThree(url: string) {
  const [a, b, c] = [await join(url), await join(url), await join(url)];
  await vi.waitFor(() => {
    for (const { share } of [a, b, c]) expect(share.status.replicas).toBe(2);
  }, patience);
  await vi.waitFor(async () => expect((await a.directory.acquire("s")).owner).toBe(a.directory.self), patience);
  // Time to ask each other once.
  await pause(systemClock, 500);
  for (const { problems } of [a, b, c]) expect(problems).toEqual([]);
  return { a, b, c };
}

/** How often the replica owned the session when it was asked, in `ms`. */
async function watchOwner({ directory }: { directory: RedisShare["directory"] }, ms: number): Promise<number[]> {
  const lapses: number[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < ms) {
    if (!directory.holds("s")) lapses.push(Math.round(performance.now() - startedAt));
    await pause(systemClock, 20);
  }
  return lapses;
}

test("a replica keeps its sessions while Redis stands still for all replicas, and afterwards", async () => {
  const redis = await start();
  const { a, b } = await joinThree(redis.url);
  redis.pause();
  expect(await watchOwner(a, 8_000)).toEqual([]);
  expect(a.share.status).toMatchObject({ isReached: false, isCutOff: false });
  redis.goOn();
  expect(await watchOwner(a, 2_000)).toEqual([]);
  await vi.waitFor(async () => expect((await b.directory.acquire("s")).owner).toBe(a.directory.self), patience);
}, 60_000);

test("a replica keeps its sessions while Redis restarts without data", async () => {
  const redis = await start();
  const { a, b } = await joinThree(redis.url);
  await redis.stop();
  expect(await watchOwner(a, 8_000)).toEqual([]);
  await start(redis.port);
  expect(await watchOwner(a, 3_000)).toEqual([]);
  await vi.waitFor(async () => expect((await b.directory.acquire("s")).owner).toBe(a.directory.self), patience);
}, 60_000);

test("a replica that alone lost Redis knows it, and owns nothing when another one takes its session", async () => {
  const redis = await start();
  const proxy = await openCuttableProxy(redis.url);
  ends.push(() => proxy.close());
  const a = await join(proxy.url);
  const b = await join(redis.url);
  await vi.waitFor(async () => expect((await a.directory.acquire("s")).owner).toBe(a.directory.self), patience);
  proxy.cut();
  await vi.waitFor(async () => {
    const { owner } = await b.directory.acquire("s");
    if (owner === b.directory.self) expect(a.directory.holds("s")).toBe(false);
    expect(owner).toBe(b.directory.self);
  }, patience);
  await vi.waitFor(() => expect(a.share.status.isCutOff).toBe(true), patience);
  expect(b.share.status.isCutOff).toBe(false);
  proxy.mend();
  await vi.waitFor(() => expect(a.share.status.isCutOff).toBe(false), patience);
  await vi.waitFor(async () => expect((await a.directory.acquire("s")).owner).toBe(b.directory.self), patience);
}, 60_000);

test("says which replica cannot be asked while Redis works", async () => {
  const { url } = await start();
  const a = await join(url);
  await join(url, { address: "127.0.0.1:1" });
  await vi.waitFor(() => {
    expect(a.problems).toEqual([expect.stringContaining("does not answer at 127.0.0.1:1")]);
  }, patience);
});

test('replicas with "host:port" for direct connections have them, and a port in use ends the start with its name', async () => {
  const redis = await start();
  const direct = { listen: "0.0.0.0:0" };
  const [a, b] = [await join(redis.url, { direct }), await join(redis.url, { direct })];
  await vi.waitFor(() => expect([a.share.status.links, b.share.status.links]).toEqual([1, 1]), patience);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  ends.push(() => other.close());
  const { port } = other.address() as AddressInfo;
  await expect(join(redis.url, { direct: { listen: `127.0.0.1:${port}` } })).rejects.toThrow(
    `gateway.redis.direct: cannot listen on port ${port} of 127.0.0.1: the port is in use`,
  );
  await expect(join(redis.url, { address: "h:0" })).rejects.toThrow("gateway.redis.address must be host:port");
  await expect(join(redis.url, { direct: { listen: "nowhere" } })).rejects.toThrow(
    'gateway.redis.direct.listen must be host:port with a port from 0 to 65535, such as 10.0.0.5:7411 or [fd00::5]:7411, got "nowhere"',
  );
});

test("a replica that stops while Redis does not answer does not wait for its commands to time out", async () => {
  const redis = await start();
  // Were the timeouts of commands awaited, the end would take longer than the test may.
  const { share, directory } = await join(redis.url, { commandTimeoutMs: 60_000 });
  await vi.waitFor(async () => expect((await directory.acquire("s")).owner).toBe(directory.self), patience);
  redis.pause();
  directory.release("s");
  await share.leave(200);
  await share.close();
}, 20_000);

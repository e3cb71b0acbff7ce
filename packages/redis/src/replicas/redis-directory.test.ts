// Requests from replica to replica: what comes back, and what does when one of them, or Redis, goes away in the middle.

import { type Dispatch, type Exchange, McpError, overloaded, type Result, refusalOf } from "@lethe/protocol";
import { createKeyFingerprints } from "@lethe/server/forwarding";
import { createMessageCipher } from "@lethe/server/sealing";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import { callOf, ownerOf, ring, useReplicas } from "../testing/replicas.ts";
import type { RedisDirectoryOptions } from "./directory-options.ts";
import type { RedisDirectory } from "./redis-directory.ts";

const startReplicas = useReplicas();
const done: Result = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const progress = (step: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { step } }) as const;

/** An owner whose endpoint a test defines, and a replica that sends it requests. */
async function startPair(dispatch: Dispatch, options: Partial<RedisDirectoryOptions> = {}) {
  const { join, connect, ...rest } = await startReplicas();
  const connection = await connect();
  const problems: string[] = [];
  const common = { ...options, onProblem: (problem: string) => problems.push(problem) };
  const owner = await join({ ...common, connection, dispatchAt: (path) => (path === "/mcp" ? dispatch : undefined) });
  const sender = await join(common);
  return { join, connect, ...rest, owner, sender, connection, problems };
}

async function send(from: RedisDirectory, to: string, exchange: Exchange = createFakeExchange(), args: object = {}) {
  const dispatch = await from.reach(to, "/mcp");
  if (!dispatch) throw new Error("the replica is gone");
  return dispatch(callOf("tool", args), exchange);
}

/** A tool that runs until the test lets it go. */
function createHeldTool() {
  const exchanges: Exchange[] = [];
  let letGo: (result: Result) => void = () => {};
  const held = new Promise<Result>((resolve) => {
    letGo = resolve;
  });
  const dispatch: Dispatch = (_, exchange) => {
    exchanges.push(exchange);
    return held;
  };
  return { dispatch, exchanges, letGo: () => letGo(done), running: () => vi.waitUntil(() => exchanges.length > 0) };
}

test("forwards a request to the owner, and returns its notifications before its result", async () => {
  const seen: unknown[] = [];
  const { owner, sender } = await startPair(async (request, { caller, isAnonymous, notify, ...rest }) => {
    seen.push([request, caller, isAnonymous, rest]);
    return done;
  });
  const caller = { id: "ann", scopes: ["a"], claims: { team: "x" }, expiresAt: 1 };
  const exchange = { ...createFakeExchange(), caller, isAnonymous: false };
  expect(await send(sender, owner.self, exchange, { bug: "ü" })).toEqual(done);
  expect(seen).toEqual([[callOf("tool", { bug: "ü" }), caller, false, expect.anything()]]);
  expect([sender.sent, sender.received, owner.sent, owner.received]).toEqual([1, 0, 0, 1]);
});

test("keeps the order of notifications, also of many", async () => {
  const { owner, sender } = await startPair(async (_, exchange) => {
    for (let step = 0; step < 2_000; step += 1) if (!exchange.notify(progress(step))) await exchange.drained();
    return done;
  });
  const exchange = createFakeExchange();
  expect(await send(sender, owner.self, exchange)).toEqual(done);
  expect(exchange.notes).toEqual(Array.from({ length: 2_000 }, (_, step) => progress(step)));
});

test("holds back notifications for a slow caller", async () => {
  const text = "x".repeat(10_000);
  let sentBytes = 0;
  const { owner, sender } = await startPair(async (_, exchange) => {
    while (exchange.notify({ ...progress(0), params: { text } })) sentBytes += text.length;
    await exchange.drained();
    return done;
  });
  let take: () => void = () => {};
  const taken = new Promise<void>((resolve) => {
    take = resolve;
  });
  const slow = { ...createFakeExchange(), notify: () => false, drained: () => taken };
  const answer = send(sender, owner.self, slow);
  await vi.waitUntil(() => sentBytes > 100_000);
  // The owner has sent nothing since it was paused.
  expect(sentBytes).toBeLessThan(1_000_000);
  expect(await Promise.race([answer, Promise.resolve("waits")])).toBe("waits");
  take();
  expect(await answer).toEqual(done);
});

test.each(["pubsub", "normal"])(
  "what is lost with a connection (%s) keeps no request waiting",
  async (type) => {
    const text = "x".repeat(10_000);
    const waits: true[] = [];
    const { owner, sender, connect } = await startPair(
      async (_, exchange) => {
        for (let step = 0; step < 3; step += 1) {
          while (exchange.notify({ ...progress(step), params: { text } }));
          waits.push(true);
          await exchange.drained();
        }
        return done;
      },
      { leaseMs: 5_000 },
    );
    const takes: (() => void)[] = [];
    const exchange = {
      ...createFakeExchange(),
      notify: () => false,
      drained: () => new Promise<void>((resolve) => takes.push(resolve)),
    };
    const answer = send(sender, owner.self, exchange);
    const { client } = await connect();
    for (let step = 1; step <= 3; step += 1) {
      await vi.waitUntil(() => waits.length >= step, 10_000);
      await client.call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
      for (const take of takes.splice(0)) take();
    }
    expect(await answer).toEqual(done);
  },
  20_000,
);

test("forwards McpErrors unchanged and hides internal errors", async () => {
  const errors = [
    new McpError(-32602, "invalid", { data: { field: "x" } }),
    new McpError(-32603, "no data"),
    overloaded("too much", 250),
    new Error("a secret"),
  ];
  const { owner, sender } = await startPair(async (request) => {
    throw errors[(request.params.arguments as { index: number }).index];
  });
  const told = await Promise.all(
    errors.map((_, index) => send(sender, owner.self, undefined, { index }).then(String, (error: McpError) => error)),
  );
  expect((told as McpError[]).map(({ code, message, data }) => [code, message, data])).toEqual([
    [-32602, "invalid", { field: "x" }],
    [-32603, "no data", undefined],
    [-32603, "too much", { retryAfterMs: 250 }],
    [-32603, "internal error", undefined],
  ]);
  expect(refusalOf(told[2] as McpError)).toEqual({ status: 503, retryAfterMs: 250 });
});

test("aborts the forwarded call when the caller disconnects, without waiting for the owner", async () => {
  const { dispatch, exchanges, running } = createHeldTool();
  const { owner, sender } = await startPair(dispatch);
  const exchange = createFakeExchange();
  const answer = send(sender, owner.self, exchange).catch((error: unknown) => error);
  await running();
  exchange.leave();
  expect(await answer).toMatchObject({ name: "ReplicaError", reason: "lost" });
  await vi.waitFor(() => expect(exchanges[0]?.signal.aborted).toBe(true));
});

test("polls the owner of a long call and returns its result", async () => {
  const { dispatch, letGo, running } = createHeldTool();
  const { owner, sender, connect } = await startPair(dispatch, { leaseMs: 2_000 });
  const spy = await connect();
  let heard = 0;
  await spy.subscribe(`replica:${sender.self}`, () => {
    heard += 1;
  });
  const answer = send(sender, owner.self);
  await running();
  await vi.waitUntil(() => heard >= 3, 10_000);
  letGo();
  expect(await answer).toEqual(done);
});

test("detects a killed owner within seconds", async () => {
  const { dispatch, running } = createHeldTool();
  const { owner, sender, connection } = await startPair(dispatch, { leaseMs: 2_000 });
  const answer = send(sender, owner.self).catch((error: unknown) => error);
  await running();
  connection.close();
  expect(await answer).toMatchObject({ reason: "lost", message: expect.stringContaining("may have been carried out") });
  await expect(send(sender, owner.self)).rejects.toThrow();
});

test("aborts the calls of a killed replica at the owner", async () => {
  const { dispatch, exchanges, running } = createHeldTool();
  const { owner, join, connect } = await startPair(dispatch, { leaseMs: 1_000 });
  const connection = await connect();
  const killed = await join({ connection });
  const answer = send(killed, owner.self).catch((error: unknown) => error);
  await running();
  connection.close();
  await vi.waitFor(() => expect(exchanges[0]?.signal.aborted).toBe(true), 5_000);
  await killed.close();
  expect(await answer).toMatchObject({ reason: "lost" });
});

test("aborts the calls of an owner that was stalled when it resumes", async () => {
  const { join, connect } = await startReplicas();
  const sender = await join({ leaseMs: 1_000 });
  const { client, nameOf, subscribe } = await connect();
  const cipher = await createMessageCipher(ring, { purpose: "replicas", maxBytes: 10_000 });
  const heard: unknown[] = [];
  await subscribe("replica:still", (text) => heard.push(cipher.open(text, "still")?.message));
  await client.set(nameOf("lease:still"), (await createKeyFingerprints(ring)).own);
  await expect(send(sender, "still")).rejects.toMatchObject({ reason: "lost" });
  await vi.waitFor(() => expect(heard.at(-1)).toEqual({ kind: "abort", call: 1 }));
  expect(heard[0]).toMatchObject({ kind: "call", call: 1 });
});

test("ends the calls of an owner that was stalled when it loses its lease", async () => {
  const { join, connect } = await startReplicas();
  const { client, nameOf, subscribe } = await connect();
  await subscribe("replica:still", () => {});
  const entry = (await createKeyFingerprints(ring)).own;
  for (const name of ["lease:still", "member:still"]) await client.set(nameOf(name), entry);
  await client.sadd(nameOf("replicas"), "still");
  // By its silence alone, the owner would count as failed after 16 s.
  const sender = await join({ leaseMs: 20_000, heartbeatMs: 50 });
  const answer = send(sender, "still").catch((error: unknown) => error);
  await vi.waitFor(() => expect(sender.sent).toBe(1));
  await client.pexpire(nameOf("lease:still"), 7_000);
  expect(await answer).toMatchObject({ name: "ReplicaError", reason: "lost" });
  expect(sender.replicasLost).toBe(1);
}, 15_000);

test("reports a request that the owner never received as not started", async () => {
  const { owner, sender, connection } = await startPair(async () => done);
  connection.close();
  const told = await send(sender, owner.self).catch((error: unknown) => error);
  expect(told).toMatchObject({ reason: "unavailable", retryAfterMs: 1_000 });
});

test("delivers a result from an outage after it, without resending the request", async () => {
  const { dispatch, exchanges, letGo, running } = createHeldTool();
  const { owner, sender, redis, restart } = await startPair(dispatch, { leaseMs: 5_000 });
  const answer = send(sender, owner.self);
  await running();
  await redis.stop();
  letGo();
  await restart();
  expect(await answer).toEqual(done);
  expect(exchanges).toHaveLength(1);
}, 15_000);

test("ends a call whose result cannot be delivered", async () => {
  const { dispatch, exchanges, letGo, running } = createHeldTool();
  const { owner, sender, redis } = await startPair(dispatch, { leaseMs: 500 });
  const answer = send(sender, owner.self).catch((error: unknown) => error);
  await running();
  await redis.stop();
  letGo();
  expect(await answer).toMatchObject({ reason: "lost" });
  expect(exchanges).toHaveLength(1);
}, 15_000);

test("a request to a stopping replica fails as not started or runs to its end", async () => {
  const { owner, sender } = await startPair(async () => done);
  const reached = await sender.reach(owner.self, "/mcp");
  await owner.leave(0);
  const closing = owner.close();
  const told: unknown[] = [];
  for (let isOpen = true; isOpen; ) {
    const calls = Array.from({ length: 20 }, () => reached?.(callOf("tool"), createFakeExchange()));
    told.push(...(await Promise.allSettled(calls)).map((one) => (one as PromiseRejectedResult).reason.reason));
    isOpen = await Promise.race<boolean>([
      closing.then(() => false),
      new Promise<boolean>((resolve) => setImmediate(resolve, true)),
    ]);
  }
  expect(new Set(told)).toEqual(new Set(["unavailable"]));
});

test("rejects a request at once, as not started, while Redis is away", async () => {
  const { dispatch, exchanges } = createHeldTool();
  const { owner, sender, redis } = await startPair(dispatch);
  const reached = await sender.reach(owner.self, "/mcp");
  await redis.stop();
  await vi.waitFor(async () => {
    const told = await reached?.(callOf("tool"), createFakeExchange()).catch((error: unknown) => error);
    expect(told).toMatchObject({ reason: "unavailable" });
  });
  expect(exchanges).toEqual([]);
});

test("reports a message that is too large to the caller and to the operator", async () => {
  const large = "x".repeat(20_000);
  const { owner, sender, problems } = await startPair(
    async () => ({ ...done, content: [{ type: "text", text: large }] }),
    { maxMessageBytes: 10_000 },
  );
  await expect(send(sender, owner.self, undefined, { large })).rejects.toMatchObject({ reason: "too_large" });
  await expect(send(sender, owner.self)).rejects.toMatchObject({ reason: "too_large" });
  expect(problems).toEqual([expect.stringContaining("at most 10000 bytes expected")]);
});

test("limits concurrent requests to other replicas", async () => {
  const { dispatch, letGo, running } = createHeldTool();
  const { owner, sender } = await startPair(dispatch, { maxCalls: 1 });
  const first = send(sender, owner.self);
  await running();
  await expect(send(sender, owner.self)).rejects.toMatchObject({ reason: "busy", retryAfterMs: 1_000 });
  letGo();
  expect(await first).toEqual(done);
  expect(await send(sender, owner.self)).toEqual(done);
});

test("limits concurrent requests from other replicas", async () => {
  const { dispatch, letGo, running } = createHeldTool();
  const { owner, sender, join } = await startPair(dispatch, { maxCalls: 1 });
  const other = await join();
  const first = send(sender, owner.self);
  await running();
  await expect(send(other, owner.self)).rejects.toMatchObject({ reason: "busy" });
  letGo();
  expect(await first).toEqual(done);
});

test("rejects a request that was forwarded in a loop", async () => {
  const { join } = await startReplicas();
  const passed: string[] = [];
  const replicas = new Map<string, RedisDirectory>();
  const joinPassing = async (name: string, next: string) => {
    const passOn: Dispatch = async (request, exchange) => {
      passed.push(name);
      const peer = await replicas.get(name)?.reach(replicas.get(next)?.self ?? "", "/mcp");
      return peer ? peer(request, exchange) : done;
    };
    replicas.set(name, await join({ dispatchAt: () => passOn }));
  };
  await joinPassing("one", "two");
  await joinPassing("two", "one");
  const [one, two] = [...replicas.values()] as [RedisDirectory, RedisDirectory];
  await expect(send(one, two.self)).rejects.toThrow("internal error");
  expect(passed).toEqual(["two", "one"]);
});

test.each(["a result", "an error"])(
  "looks up a session again whose supposed owner forwarded a request and returned %s, and no other session",
  async (outcome) => {
    const { join } = await startReplicas();
    const answer: Dispatch = async () => {
      if (outcome === "an error") throw new McpError(-32_602, "no such tool");
      return done;
    };
    const owner = await join({ dispatchAt: () => answer });
    const passOn: Dispatch = async (...call) => ((await former.reach(owner.self, "/mcp")) as Dispatch)(...call);
    const former = await join({ dispatchAt: () => passOn });
    const sender = await join();
    for (const key of ["moved", "other"]) {
      await former.acquire(key);
      expect(await ownerOf(sender, key)).toBe(former.self);
      former.release(key);
      await vi.waitUntil(async () => (await owner.acquire(key, { isForwarded: true })).owner === owner.self, 10_000);
    }
    const dispatch = (await sender.reach(former.self, "/mcp", "moved")) as Dispatch;
    await dispatch(callOf("tool"), createFakeExchange()).catch(() => {});
    expect([await ownerOf(sender, "moved"), await ownerOf(sender, "other")]).toEqual([owner.self, former.self]);
  },
);

test("a stopping replica finishes running calls, rejects new ones and ends its streams", async () => {
  const { dispatch, letGo, running } = createHeldTool();
  const { owner, sender } = await startPair(dispatch);
  const reached = await sender.reach(owner.self, "/mcp");
  await owner.acquire("a");
  const answer = send(sender, owner.self);
  await running();
  const leaving = owner.leave(10_000);
  await vi.waitUntil(() => owner.holds?.("a") === false);
  await expect(reached?.(callOf("tool"), createFakeExchange())).rejects.toMatchObject({ reason: "unavailable" });
  letGo();
  expect(await answer).toEqual(done);
  await leaving;
  expect(await ownerOf(sender, "a")).toBe(sender.self);
});

test("a session of a stopping replica can be acquired as soon as that replica rejects requests", async () => {
  const { dispatch, letGo, running } = createHeldTool();
  const { owner, sender } = await startPair(dispatch);
  expect(await ownerOf(owner, "a")).toBe(owner.self);
  expect(await ownerOf(sender, "a")).toBe(owner.self);
  const reached = await sender.reach(owner.self, "/mcp");
  const answer = send(sender, owner.self);
  await running();
  const left = owner.leave(5_000);
  await vi.waitUntil(() => owner.holds?.("a") === false);
  await expect(reached?.(callOf("tool"), createFakeExchange())).rejects.toMatchObject({ reason: "unavailable" });
  letGo();
  expect(await answer).toEqual(done);
  expect(await ownerOf(sender, "a")).toBe(sender.self);
  await left;
});

test("ignores a replayed message", async () => {
  let runs = 0;
  const { owner, sender, connect } = await startPair(async () => {
    runs += 1;
    return done;
  });
  const spy = await connect();
  const caught: string[] = [];
  await spy.subscribe(`replica:${owner.self}`, (text) => caught.push(text));
  await send(sender, owner.self);
  await vi.waitFor(() => expect(caught).toHaveLength(1));
  await spy.publish(`replica:${owner.self}`, caught[0] as string);
  await send(sender, owner.self);
  expect(runs).toBe(2);
});

test("ignores messages without a valid key and reports the first one", async () => {
  const { owner, sender, problems, connect, join } = await startPair(async () => done);
  const spy = await connect();
  for (const text of [JSON.stringify({ kind: "call" }), "k1.AAAA"]) await spy.publish(`replica:${owner.self}`, text);
  await vi.waitUntil(() => problems.length > 0);
  expect(problems).toEqual([expect.stringContaining("check that all replicas have the same LETHE_KEYS")]);
  expect(await send(sender, owner.self)).toEqual(done);
  await expect(join({ ring: createKeyRing() })).rejects.toThrow("need the same keys (LETHE_KEYS)");
}, 15_000);

test("rejects requests between replicas with different keys at once, with the reason", async () => {
  const { owner, join } = await startPair(async () => done);
  const problems: string[] = [];
  const other = await join({ ring: ringWith(2), onProblem: (problem) => problems.push(problem) });
  expect(await ownerOf(owner, "a")).toBe(owner.self);
  const refused = { reason: "unavailable", message: expect.stringContaining("has other keys") };
  await expect(other.acquire("a")).rejects.toMatchObject(refused);
  await expect(send(other, owner.self)).rejects.toMatchObject(refused);
  await expect(send(owner, other.self)).rejects.toMatchObject(refused);
  expect(problems).toEqual([expect.stringMatching(`replica ${owner.self.slice(0, 8)} has other keys.+LETHE_KEYS`)]);
});

test("replicas understand each other during a key rotation", async () => {
  const { join } = await startReplicas();
  const dispatchAt = () => async () => done;
  const [old, both, next] = await Promise.all(
    [ringWith(1), ringWith(1, 2), ringWith(2, 1)].map((ring) => join({ ring, dispatchAt })),
  );
  if (!old || !both || !next) throw new Error("three expected");
  for (const [one, other] of [
    [old, both],
    [both, old],
    [both, next],
    [next, both],
  ] as const) {
    expect(await send(one, other.self)).toEqual(done);
  }
  await expect(send(old, next.self)).rejects.toMatchObject({ reason: "unavailable" });
});

function ringWith(...numbers: number[]) {
  return createKeyRing(numbers.map((number) => `k${number}:${Buffer.alloc(32, number).toString("base64url")}`).join());
}

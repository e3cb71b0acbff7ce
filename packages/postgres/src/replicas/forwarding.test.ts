// Requests from replica to replica over notifications of PostgreSQL: what comes back, and what does when one of them, or PostgreSQL, fails.
import { type Dispatch, type Exchange, McpError, overloaded, type Result, refusalOf } from "@lethe/protocol";
import { createMessageCipher } from "@lethe/server/sealing";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import type { PostgresConnection } from "../connection/postgres-connection.ts";
import { usePostgres } from "../testing/own-postgres.ts";
import { callOf, holdable, join, ring } from "../testing/replicas.ts";
import type { PostgresDirectoryOptions } from "./directory-options.ts";
import type { PostgresDirectory } from "./postgres-directory.ts";

const own = usePostgres();
const done: Result = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const progress = (step: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { step } }) as const;

/** An owner whose endpoint a test defines, and a replica that sends it requests. */
async function startPair(dispatch: Dispatch, options: Partial<PostgresDirectoryOptions> = {}) {
  const postgres = await own.connect();
  const problems: string[] = [];
  const common = { ...options, onProblem: (problem: string) => problems.push(problem) };
  const dispatchAt = (path: string) => (path === "/mcp" ? dispatch : undefined);
  const owner = await join(own, { ...common, postgres, dispatchAt });
  const sender = await join(own, common);
  return { owner, sender, postgres, problems };
}

async function send(from: PostgresDirectory, to: string, exchange: Exchange = createFakeExchange(), args: object = {}) {
  const dispatch = await from.reach(to, "/mcp");
  if (!dispatch) throw new Error("the replica is gone");
  return dispatch(callOf("tool", args), exchange);
}

/** Ends the connection of one of two replicas. PostgreSQL notices it a moment later, and then the lock of its address is free. */
async function endOwner(postgres: PostgresConnection): Promise<void> {
  const watcher = await own.connect();
  const text = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'";
  await postgres.close();
  await vi.waitFor(async () => expect(await watcher.run({ name: "test_addresses", text }, [])).toHaveLength(1), 10_000);
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
  return {
    dispatch,
    exchanges,
    letGo: () => letGo(done),
    running: () => vi.waitUntil(() => exchanges.length > 0, 10_000),
  };
}

test("forwards a request with its caller to the owner, and returns its result", async () => {
  const seen: unknown[] = [];
  const { owner, sender } = await startPair(async (request, { caller, isAnonymous }) => {
    seen.push([request, caller, isAnonymous]);
    return done;
  });
  const caller = { id: "ann", scopes: ["a"], claims: { team: "x" }, expiresAt: 1 };
  const exchange = { ...createFakeExchange(), caller, isAnonymous: false };
  expect(await send(sender, owner.self, exchange, { bug: "ü" })).toEqual(done);
  expect(seen).toEqual([[callOf("tool", { bug: "ü" }), caller, false]]);
  expect([sender.sent, sender.received, owner.sent, owner.received]).toEqual([1, 0, 0, 1]);
});

test("looks up a session again whose supposed owner forwarded a request to another replica, and no other session", async () => {
  const owner = await join(own, { dispatchAt: () => async () => done });
  const passOn: Dispatch = async (...call) => ((await former.reach(owner.self, "/mcp")) as Dispatch)(...call);
  const former = await join(own, { dispatchAt: () => passOn });
  const sender = await join(own);
  const ownerOf = async (directory: PostgresDirectory, key: string) => (await directory.acquire(key)).owner;
  for (const key of ["moved", "other"]) {
    await former.acquire(key);
    expect(await ownerOf(sender, key)).toBe(former.self);
    former.release(key);
    // The owner remembers the former one, too.
    await vi.waitUntil(async () => (await owner.acquire(key, { isForwarded: true })).owner === owner.self, 10_000);
  }
  const dispatch = (await sender.reach(former.self, "/mcp", "moved")) as Dispatch;
  expect(await dispatch(callOf("tool"), createFakeExchange())).toEqual(done);
  expect([await ownerOf(sender, "moved"), await ownerOf(sender, "other")]).toEqual([owner.self, former.self]);
});

test("keeps the order of notifications before the result, also of many and large ones", async () => {
  const text = "x".repeat(20_000);
  const noteOf = (step: number) => ({ ...progress(step), params: { step, ...(step % 50 === 0 && { text }) } });
  const { owner, sender } = await startPair(async (_, exchange) => {
    for (let step = 0; step < 500; step += 1) if (!exchange.notify(noteOf(step))) await exchange.drained();
    return done;
  });
  const exchange = createFakeExchange();
  expect(await send(sender, owner.self, exchange)).toEqual(done);
  expect(exchange.notes).toEqual(Array.from({ length: 500 }, (_, step) => noteOf(step)));
});

test("passes the cancellation of the caller to the owner", async () => {
  const tool = createHeldTool();
  const { owner, sender } = await startPair(tool.dispatch);
  const controller = new AbortController();
  const answer = send(sender, owner.self, { ...createFakeExchange(), signal: controller.signal });
  answer.catch(() => {});
  await tool.running();
  controller.abort();
  await vi.waitUntil(() => tool.exchanges[0]?.signal.aborted, 10_000);
  await expect(answer).rejects.toMatchObject({ name: "ReplicaError", reason: "lost" });
});

test("returns the errors of the owner, and whether they refuse the request", async () => {
  const errors = [new McpError(-32_602, "wrong", { data: { a: 1 } }), overloaded("full", 700)];
  const { owner, sender } = await startPair(() => Promise.reject(errors.shift()));
  await expect(send(sender, owner.self)).rejects.toMatchObject({ code: -32_602, message: "wrong", data: { a: 1 } });
  const refused: unknown = await send(sender, owner.self).catch((error: unknown) => error);
  expect(refusalOf(refused as McpError)).toEqual({ status: 503, retryAfterMs: 700 });
});

test("rejects a request, and an answer, that is larger than a message may be", async () => {
  const large: Result = { resultType: "complete", content: [{ type: "text", text: "x".repeat(20_000) }] };
  const { owner, sender, problems } = await startPair(async () => large, { maxMessageBytes: 10_000 });
  const tooLarge = { name: "ReplicaError", reason: "too_large" };
  await expect(send(sender, owner.self, undefined, { text: "x".repeat(20_000) })).rejects.toMatchObject(tooLarge);
  await expect(send(sender, owner.self)).rejects.toMatchObject(tooLarge);
  expect(problems).toEqual([expect.stringContaining("too large")]);
});

test("an owner at its limit refuses a request, which has not started", async () => {
  const tool = createHeldTool();
  const { owner, sender } = await startPair(tool.dispatch, { maxCalls: 1 });
  const other = await join(own);
  const first = send(sender, owner.self);
  await tool.running();
  await expect(send(other, owner.self)).rejects.toMatchObject({ reason: "busy" });
  tool.letGo();
  expect(await first).toEqual(done);
});

test("a request to a replica whose connection has ended has not started, although its lease runs", async () => {
  const { owner, sender, postgres } = await startPair(async () => done);
  expect(await send(sender, owner.self)).toEqual(done);
  await endOwner(postgres);
  await expect(send(sender, owner.self)).rejects.toMatchObject({ reason: "unavailable", retryAfterMs: 1_000 });
  expect(owner.received).toBe(1);
});

test("a running request is lost soon after the process of its owner has ended", async () => {
  const tool = createHeldTool();
  const { owner, sender, postgres } = await startPair(tool.dispatch);
  const answer = send(sender, owner.self);
  answer.catch(() => {});
  await tool.running();
  await postgres.close();
  await expect(answer).rejects.toMatchObject({ name: "ReplicaError", reason: "lost" });
  expect(tool.exchanges).toHaveLength(1);
});

test("an owner aborts the requests of a replica that has ended", async () => {
  const tool = createHeldTool();
  const { owner } = await startPair(tool.dispatch);
  const postgres = await own.connect();
  const sender = await join(own, { postgres });
  send(sender, owner.self).catch(() => {});
  await tool.running();
  await postgres.close();
  await vi.waitUntil(() => tool.exchanges[0]?.signal.aborted, 15_000);
}, 30_000);

test("running requests continue through a restart of PostgreSQL, and run once", async () => {
  const tool = createHeldTool();
  const { owner, sender, postgres } = await startPair(tool.dispatch);
  const answers = Array.from({ length: 20 }, () => send(sender, owner.self));
  await vi.waitUntil(() => tool.exchanges.length === 20, 10_000);
  await own.server().crash();
  await vi.waitUntil(() => !postgres.isUp, 10_000);
  // The answers are ready while PostgreSQL is away.
  tool.letGo();
  await own.server().start();
  expect(await Promise.all(answers)).toEqual(Array(20).fill(done));
  expect(owner.received).toBe(20);
}, 30_000);

test("while PostgreSQL is away, a request is unavailable and has not started", async () => {
  const { owner, sender, postgres } = await startPair(async () => done);
  const dispatch = await sender.reach(owner.self, "/mcp");
  await own.server().crash();
  await vi.waitUntil(() => !postgres.isUp, 10_000);
  await vi.waitFor(() =>
    expect(dispatch?.(callOf("tool"), createFakeExchange())).rejects.toMatchObject({ reason: "unavailable" }),
  );
  await expect(sender.acquire("new")).rejects.toMatchObject({ name: "ReplicaError", reason: "unavailable" });
  await own.server().start();
  expect(owner.received).toBe(0);
});

/** Everything that was sent to a replica, as a reader of the database sees it. */
function tapped(postgres: PostgresConnection) {
  const texts: [string, string][] = [];
  const { link } = holdable(postgres);
  const sendTo: PostgresConnection["sendTo"] = (address, text) => {
    texts.push([address, text]);
    return postgres.sendTo(address, text);
  };
  return { link: { ...link, sendTo, isUp: true }, texts };
}

test("a recorded message has no effect when it is sent again, and reveals nothing", async () => {
  const postgres = await own.connect();
  const tap = tapped(postgres);
  let calls = 0;
  const { owner } = await startPair(async () => {
    calls += 1;
    return done;
  });
  const sender = await join(own, { postgres: tap.link });
  await send(sender, owner.self, undefined, { secret: "hidden" });
  const recorded = [...tap.texts];
  expect(JSON.stringify(recorded)).not.toContain("hidden");
  for (const [address, text] of recorded) await postgres.sendTo(address, text);
  await send(sender, owner.self);
  expect(calls).toBe(2);
});

test("ignores messages that were sealed with other keys, or for another replica, and reports them once", async () => {
  const { owner, sender, postgres, problems } = await startPair(async () => done);
  const message = {
    from: sender.self,
    number: 1,
    message: { kind: "call", call: 1, path: "/mcp", request: callOf("t"), hops: 1 },
  };
  const otherKeys = createKeyRing(`k:${Buffer.alloc(32, 1).toString("base64url")}`);
  const purpose = "postgres replicas";
  const forged = await createMessageCipher(otherKeys, { purpose, maxBytes: 10_000 });
  const misled = await createMessageCipher(ring, { purpose, maxBytes: 10_000 });
  await postgres.sendTo(`replica:${owner.self}`, forged.seal(message, owner.self));
  await postgres.sendTo(`replica:${owner.self}`, misled.seal(message, sender.self));
  expect(await send(sender, owner.self)).toEqual(done);
  expect(owner.received).toBe(1);
  expect(problems).toEqual([expect.stringContaining("cannot be decrypted")]);
});

test("a session of a replica with other keys is unavailable, and the log names that replica", async () => {
  const { owner, sender, problems } = await startPair(async () => done);
  const otherKeys = createKeyRing(`k:${Buffer.alloc(32, 1).toString("base64url")}`);
  const stranger = await join(own, { ring: otherKeys });
  await stranger.acquire("a");
  await expect(sender.acquire("a")).rejects.toMatchObject({ reason: "unavailable" });
  await expect(sender.reach(stranger.self, "/mcp")).rejects.toMatchObject({ reason: "unavailable" });
  expect(problems).toEqual([expect.stringContaining(stranger.self.slice(0, 8))]);
  expect(owner.self).not.toBe(stranger.self);
});

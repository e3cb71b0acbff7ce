// Requests from replica to replica over a direct connection, and what happens to them when it breaks.
import type { Dispatch, Result } from "@lethe/protocol";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import type { LinkChange } from "../links/direct-links.ts";
import { type CuttableProxy, openCuttableProxy } from "../testing/cuttable-proxy.ts";
import { findFreePort } from "../testing/free-port.ts";
import { callOf, useReplicas } from "../testing/replicas.ts";
import type { RedisDirectory } from "./redis-directory.ts";

const startReplicas = useReplicas();
const done: Result = { resultType: "complete", content: [{ type: "text", text: "done" }] };
const progress = (step: number) => ({ jsonrpc: "2.0", method: "notifications/progress", params: { step } }) as const;
const patience = { timeout: 20_000, interval: 20 };

interface Plan {
  readonly leaseMs?: number;
  /** Whether the connection passes a proxy that the test can cut. */
  readonly isCuttable?: boolean;
}

/** An owner whose endpoint a test defines, and a replica with a direct connection to it. The sender connects. */
async function startPair(dispatch: Dispatch, { leaseMs = 2_500, isCuttable = false }: Plan = {}) {
  const { join, connect } = await startReplicas();
  const changes: LinkChange[] = [];
  const common = { leaseMs };
  const port = await findFreePort();
  const proxy: CuttableProxy | undefined = isCuttable
    ? await openCuttableProxy(`redis://127.0.0.1:${port}`)
    : undefined;
  const address = proxy?.url.replace("redis://", "");
  const sender = await join({
    ...common,
    self: "1",
    direct: listenAt(0),
    onLink: (change) => void changes.push(change),
  });
  const direct = { ...listenAt(port), ...(address !== undefined && { address }) };
  const ownerRedis = await connect();
  const owner = await join({ ...common, self: "2", connection: ownerRedis, direct, dispatchAt: () => dispatch });
  await vi.waitFor(() => expect([sender.links, owner.links]).toEqual([1, 1]), patience);
  return { sender, owner, ownerRedis, changes, proxy: proxy as CuttableProxy };
}

function listenAt(port: number) {
  return { listen: { host: "127.0.0.1", port } };
}

async function send(from: RedisDirectory, to: string, exchange = createFakeExchange()): Promise<Result> {
  const dispatch = await from.reach(to, "/mcp");
  if (!dispatch) throw new Error("the replica is gone");
  return dispatch(callOf("tool"), exchange);
}

/** A tool that runs until the test lets it go. */
function createHeldTool() {
  let runs = 0;
  let letGo: () => void = () => {};
  const held = new Promise<Result>((resolve) => {
    letGo = () => resolve(done);
  });
  const dispatch: Dispatch = () => {
    runs += 1;
    return held;
  };
  return { dispatch, letGo: () => letGo(), runs: () => runs, running: () => vi.waitUntil(() => runs > 0, patience) };
}

test("a direct connection carries requests, their notifications and results, and Redis none of them", async () => {
  const { sender, owner } = await startPair(async (_, exchange) => {
    for (let step = 0; step < 2_000; step += 1) if (!exchange.notify(progress(step))) await exchange.drained();
    return done;
  });
  const throughRedis = () => [sender, owner].map(({ messages }) => messages.redis);
  const before = throughRedis();
  const exchange = createFakeExchange();
  expect(await send(sender, owner.self, exchange)).toEqual(done);
  expect(exchange.notes).toEqual(Array.from({ length: 2_000 }, (_, step) => progress(step)));
  expect(throughRedis()).toEqual(before);
  expect(owner.messages.direct).toBe(2_001);
});

test("a direct connection alone does not show that the owner of a session reaches Redis", async () => {
  const { sender, owner, ownerRedis } = await startPair(async () => done);
  const dispatch = await sender.reach(owner.self, "/mcp");
  ownerRedis.close();
  await vi.waitFor(async () => {
    expect(await dispatch?.(callOf("tool"), createFakeExchange())).toEqual(done);
    expect(await sender.reach(owner.self, "/mcp")).toBeUndefined();
  }, patience);
  expect(sender.links).toBe(1);
});

test("a call survives the connection over which it was sent, and runs once", async () => {
  const tool = createHeldTool();
  const { sender, owner, changes, proxy } = await startPair(tool.dispatch, { isCuttable: true });
  const answer = send(sender, owner.self);
  await tool.running();
  // The owner has handled the call for longer than an acknowledgement waits.
  await vi.waitUntil(() => owner.messages.direct > 0, patience);
  proxy.cut();
  await vi.waitFor(() => expect([sender.links, owner.links]).toEqual([0, 0]), patience);
  tool.letGo();
  expect(await answer).toEqual(done);
  expect(tool.runs()).toBe(1);
  expect(owner.messages.redis).toBeGreaterThan(0);
  expect(changes.map(({ kind }) => kind)).toEqual(["up", "down"]);
  proxy.mend();
  await vi.waitFor(() => expect(sender.links).toBe(1), patience);
  await proxy.close();
});

test("a call whose acknowledgement is lost with the connection still ends with its result", async () => {
  let cut: () => void = () => {};
  const { sender, owner, proxy } = await startPair(
    async () => {
      cut();
      return done;
    },
    { isCuttable: true },
  );
  cut = () => proxy.cut();
  expect(await send(sender, owner.self)).toEqual(done);
  await proxy.close();
});

test("a call that did not arrive when the connection ended is lost, and does not run later", async () => {
  const tool = createHeldTool();
  const { sender, owner, proxy } = await startPair(tool.dispatch, { isCuttable: true, leaseMs: 1_000 });
  proxy.swallow();
  await expect(send(sender, owner.self)).rejects.toMatchObject({ reason: "lost" });
  proxy.mend();
  await vi.waitFor(() => expect(sender.links).toBe(1), patience);
  expect(tool.runs()).toBe(0);
  await proxy.close();
});

test("replicas with different keys have no direct connection, and both logs say why", async () => {
  const { join } = await startReplicas();
  const problems: string[][] = [[], []];
  for (const [index, byte] of [7, 8].entries()) {
    const ring = createKeyRing(`k1:${Buffer.alloc(32, byte).toString("base64url")}`);
    const onProblem = (problem: string) => void problems[index]?.push(problem);
    await join({ ring, direct: listenAt(0), onProblem, self: `${index}` });
  }
  await vi.waitFor(() => {
    expect(problems[0]?.join()).toContain("there is no direct connection to replica 1 at 127.0.0.1:");
    expect(problems[0]?.join()).toContain("it has other keys");
    expect(problems[1]?.join()).toContain("a direct connection from another process was refused: it has other keys");
  }, patience);
});

test("a replica without direct connections, and one that cannot be reached, are sent messages through Redis", async () => {
  const { join } = await startReplicas();
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const sender = await join({ self: "1", direct: listenAt(0), onProblem });
  const plain = await join({ self: "2", dispatchAt: () => async () => done });
  const address = `127.0.0.1:${await findFreePort()}`;
  const unreached = await join({ self: "3", direct: { ...listenAt(0), address }, dispatchAt: () => async () => done });
  for (const { self } of [plain, unreached]) expect(await send(sender, self)).toEqual(done);
  expect(sender.messages).toEqual({ redis: 2, direct: 0 });
  await vi.waitFor(
    () =>
      expect(problems.join()).toMatch(
        /no direct connection to replica 3 at .*: connect ECONNREFUSED.*: check that replicas reach this port, or set /,
      ),
    patience,
  );
});

test("a connection ends in order with its replica, whose calls then have no receiver", async () => {
  const { sender, owner, changes } = await startPair(async () => done);
  await owner.close();
  await vi.waitFor(() => expect(changes.at(-1)).toMatchObject({ kind: "down", replica: owner.self }), patience);
  expect(sender.links).toBe(0);
});

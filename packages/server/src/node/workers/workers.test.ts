// Workers own sessions, know of each other, and share the stores of their parent.
import { Duplex } from "node:stream";
import type { Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { frameKind } from "./frames.ts";
import { createLinkedRecords } from "./linked-records.ts";
import { createLinkedSingleUseStore } from "./linked-stores.ts";
import { createLinkedTaskStore } from "./linked-task-store.ts";
import { Pipe } from "./pipe.ts";
import { RestartPause } from "./restart-pause.ts";
import { startTwo } from "./testing/two-workers.ts";

const done = { resultType: "complete" } as Result;

describe("WorkerDirectory", () => {
  it("gives a session that two workers acquire at once to one of them", async () => {
    const { asker, owner } = await startTwo();
    const acquired = await Promise.all([asker.acquire("a"), owner.acquire("a")]);
    expect(new Set(acquired.map((one) => one.owner)).size).toBe(1);
    expect([asker.holds("a"), owner.holds("a")].filter(Boolean)).toHaveLength(1);
  });

  it("asks the parent for the owner of a session when another worker forwarded the request to it", async () => {
    const { asker, owner } = await startTwo();
    await owner.acquire("a");
    await asker.acquire("a");
    owner.release("a");
    expect(await asker.acquire("a")).toEqual({ owner: owner.self });
    expect(await asker.acquire("a", { isForwarded: true })).toEqual({ owner: asker.self });
    asker.release("a");
    expect(await asker.acquire("a")).toEqual({ owner: asker.self });
  });

  it("gives up its sessions when it leaves, and takes no more requests", async () => {
    const { asker, owner } = await startTwo(async () => done);
    await owner.acquire("a");
    await owner.leave(0);
    await vi.waitFor(() => expect(asker.reach(owner.self, "/mcp")).toBeUndefined());
    expect((await asker.acquire("a")).owner).toBe(asker.self);
    await expect(owner.acquire("b")).rejects.toMatchObject({ reason: "unavailable" });
  });
});

describe("the workers that a parent knows", () => {
  it("listen from when they have started until they take no more connections", async () => {
    const { one, two } = await startTwo();
    const seen = () => one.peers.find(({ number }) => number === two.number)?.isListening;
    expect(seen()).toBe(false);
    two.control({ kind: "started", port: 80 });
    await vi.waitFor(() => expect(seen()).toBe(true));
    two.tell("unlisten", "an address");
    await vi.waitFor(() => expect(seen()).toBe(false));
  });
});

describe("stores of the parent", () => {
  it("answer every worker with what the others wrote", async () => {
    const { one, two } = await startTwo();
    const round = { id: "r", callerId: undefined, expiresAt: Date.now() + 60_000, inputs: "yes" };
    expect(await createLinkedSingleUseStore(one, "a").claim(round)).toEqual({ status: "claimed" });
    expect(await createLinkedSingleUseStore(two, "a").claim(round)).toEqual({ status: "running" });
    expect(await createLinkedSingleUseStore(two, "b").claim(round)).toEqual({ status: "claimed" });
    const [here, there] = [createLinkedRecords(one, "a"), createLinkedRecords(two, "a")];
    expect(await here.write("key", { value: 1 }, { version: 0, ttlMs: 60_000 })).toBe(true);
    const read = await there.read("key");
    expect(read?.value).toEqual({ value: 1 });
    expect(await here.write("key", { value: 2 }, { version: 0, ttlMs: 60_000 })).toBe(false);
    expect(await here.write("key", { value: 2 }, { version: read?.version ?? 0, ttlMs: 60_000 })).toBe(true);
  });

  it("give the tasks of a worker whose process has ended to another one at once", async () => {
    const { workers, one, two } = await startTwo();
    const [mortal, survivor] = [createLinkedTaskStore(one, "a"), createLinkedTaskStore(two, "a")];
    const { contentOf, taskOf } = await import("../../contracts/sample-tasks.ts");
    await mortal.create(taskOf("t"), contentOf("w", { leaseMs: 3_600_000 }));
    workers.kill(one);
    const acquired = await survivor.acquire("v", {
      lanes: [taskOf("t").lane],
      limit: 1,
      mayBeSuspect: false,
      leaseMs: 60_000,
    });
    expect(acquired.map(({ task }) => task.taskId)).toEqual(["t"]);
  });

  it("reject with an error that can be retried when the parent is gone", async () => {
    const { one } = await startTwo();
    const store = createLinkedTaskStore(one, "a");
    one.close();
    await expect(store.read("t")).rejects.toMatchObject({ message: expect.stringContaining("does not answer") });
  });
});

describe("Pipe", () => {
  it("refuses what may be refused and then gives up, when the other side does not read", () => {
    const closed: string[] = [];
    const stream = new Duplex({ read() {}, write() {} });
    const pipe = new Pipe(stream, { onFrame: () => {}, onClose: (reason) => closed.push(reason) });
    const body = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 17; count += 1) pipe.send({ kind: frameKind.message, body });
    expect(pipe.isFull).toBe(true);
    expect(closed).toEqual([]);
    for (let count = 0; count < 200; count += 1) pipe.send({ kind: frameKind.message, body });
    expect(closed).toHaveLength(1);
    expect(stream.destroyed).toBe(true);
  });
});

describe("RestartPause", () => {
  it("grows with each worker that ends soon, up to 30 s, and is 0 after one that ran well", () => {
    vi.useFakeTimers();
    const pause = new RestartPause();
    const pauses = [0, 0, 0, 0, 0, 0, 0, 0, 0].map((ranForMs) => pause.begin(ranForMs, () => {}));
    expect(pauses).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(pause.begin(60_000, () => {})).toBe(0);
    vi.useRealTimers();
  });
});

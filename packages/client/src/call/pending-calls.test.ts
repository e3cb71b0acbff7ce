// Calls that wait for an answer of their caller: limited in number and in time, and each resumed or abandoned once.
import { type JsonObject, type ModernRequest, processMemory, type Result } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createExchange } from "./exchange.ts";
import { type PendingCallHolder, type PendingCallLimits, PendingCalls, type WaitingCall } from "./pending-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const done: Result = { resultType: "complete" };
const exchange = createExchange({});
const request = (name = "tool"): ModernRequest => ({
  id: 1,
  method: "tools/call",
  params: { name, _meta: {} as ModernRequest["params"]["_meta"] },
});
const unknown = { code: -32602, message: "invalid or expired requestState" };

function setUp(limits: PendingCallLimits = {}) {
  const pending = new PendingCalls(limits);
  const cancelled: string[] = [];
  const resumed: [name: string, answers: JsonObject][] = [];
  const add = (name: string, more: Partial<WaitingCall> = {}): string | undefined =>
    pending.add({
      owner: pending,
      request: request(),
      callerId: undefined,
      inputRequests: {},
      async resume(answers) {
        resumed.push([name, answers]);
        return done;
      },
      cancel: (reason) => void cancelled.push(`${name}: ${reason}`),
      ...more,
    });
  return { pending, add, cancelled, resumed };
}

it("a pending call is found by its id until it is resumed", async () => {
  const { pending, add, resumed } = setUp();
  const id = add("a") ?? "";
  expect([pending.get(id)?.id, pending.get(id)?.id, pending.get("other")]).toEqual([id, id, undefined]);
  expect(await pending.resume(id, {}, undefined)(request(), exchange)).toBe(done);
  expect([pending.get(id), resumed]).toEqual([undefined, [["a", {}]]]);
});

it("the registry takes as many calls as its limit, and more when one has been resumed", async () => {
  const { pending, add } = setUp({ maxPending: 2 });
  const ids = ["a", "b", "c"].map((name) => add(name));
  expect(ids).toEqual([expect.any(String), expect.any(String), undefined]);
  await pending.resume(ids[0] ?? "", {}, undefined)(request(), exchange);
  expect(add("d")).toEqual(expect.any(String));
});

it("the limit of one caller does not apply to calls without a caller id", () => {
  const { pending, add } = setUp({ maxPendingPerCaller: 1 });
  const ids = ["ann", "ann", undefined, undefined].map((callerId) => add("a", { callerId }));
  expect(ids.map((id) => id !== undefined)).toEqual([true, false, true, true]);
  expect(pending.get(ids[0] ?? "")?.callerId).toBe("ann");
  pending.abandon(ids[0] ?? "");
  expect(add("a", { callerId: "ann" })).toEqual(expect.any(String));
});

it("large input requests count in the memory budget while their calls wait, and are refused without room in it", () => {
  const { pending, add } = setUp();
  const addWith = (length: number): string | undefined => {
    const inputRequests = { q: { method: "elicitation/create", params: { message: "x".repeat(length) } } } as never;
    return add("a", { callerId: "ann", inputRequests });
  };
  const before = processMemory.heldByKind.calls;
  expect([addWith(10), processMemory.heldByKind.calls - before]).toEqual([expect.any(String), 0]);
  const large = addWith(100_000) ?? "";
  expect(processMemory.heldByKind.calls - before).toBeGreaterThan(100_000);
  const { hardBytes } = processMemory;
  processMemory.limit(150_000);
  expect(addWith(100_000)).toBeUndefined();
  processMemory.limit(hardBytes);
  pending.abandon(large);
  expect(processMemory.heldByKind.calls).toBe(before);
  addWith(100_000);
  pending.drop(() => true);
  expect(processMemory.heldByKind.calls).toBe(before);
});

it("the params of a call count in the memory budget while it waits, and a call with large ones fails without room for it", () => {
  const { hardBytes } = processMemory;
  onTestFinished(() => processMemory.limit(hardBytes));
  processMemory.limit(1_000_000);
  const { pending, add } = setUp();
  const large = (length: number) => ({
    request: { ...request(), params: { ...request().params, arguments: { text: "x".repeat(length) } } },
  });
  const id = add("a", large(200_000)) ?? "";
  expect(processMemory.heldByKind.calls).toBeGreaterThan(200_000);
  expect(add("b", large(200_000))).toBeUndefined();
  expect(add("c")).toEqual(expect.any(String));
  pending.abandon(id);
  expect(processMemory.heldByKind.calls).toBe(0);
  pending.drop(() => true);
});

it("each call expires after its own time, and a resumed call never does", async () => {
  const { pending, add, cancelled } = setUp({ pendingTtlMs: 100 });
  add("a");
  vi.advanceTimersByTime(60);
  const id = add("b") ?? "";
  add("c");
  vi.advanceTimersByTime(40);
  expect(cancelled).toEqual(["a: the caller brought no answer in time"]);
  await pending.resume(id, {}, undefined)(request(), exchange);
  vi.advanceTimersByTime(60);
  expect(cancelled.map((line) => line.charAt(0))).toEqual(["a", "c"]);
});

it("an expired call is cancelled at its server before its holder is released", () => {
  const { pending, add, cancelled } = setUp({ pendingTtlMs: 1_000 });
  const seen: string[][] = [];
  const id = add("a") ?? "";
  pending.hold(id, { release: () => void seen.push([...cancelled]) });
  vi.advanceTimersByTime(600);
  add("b");
  vi.advanceTimersByTime(500);
  expect([pending.list().length, seen]).toEqual([1, [["a: the caller brought no answer in time"]]]);
  vi.advanceTimersByTime(500);
  expect([pending.size, seen.length]).toEqual([0, 1]);
});

it("a dropped call is not cancelled, and leaves no timer", () => {
  const { pending, add, cancelled } = setUp({ pendingTtlMs: 100 });
  const ended = {};
  const released = vi.fn();
  pending.hold(add("a", { owner: ended }) ?? "", { release: released });
  const other = add("b", { callerId: "ann" });
  pending.drop(({ owner }) => owner === ended);
  expect(pending.list().map(({ id }) => id)).toEqual([other]);
  pending.drop(() => true);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect([cancelled, released.mock.calls.length]).toEqual([[], 1]);
});

it("an abandoned call is cancelled at its server once, and cannot be resumed", () => {
  const { pending, add, cancelled } = setUp();
  const holder: PendingCallHolder = { release: vi.fn() };
  const id = add("a") ?? "";
  pending.hold(id, holder);
  expect([pending.abandon(id, "the task was cancelled"), pending.abandon(id)]).toEqual([true, false]);
  expect(cancelled).toEqual(["a: the task was cancelled"]);
  expect(holder.release).toHaveBeenCalledTimes(1);
  expect(() => pending.resume(id, {}, undefined)).toThrow(expect.objectContaining(unknown));
});

it("a holder that comes after the end of its call is released at once", () => {
  const { pending, add } = setUp();
  const id = add("a") ?? "";
  pending.abandon(id);
  const holder: PendingCallHolder = { release: vi.fn() };
  pending.hold(id, holder);
  expect(holder.release).toHaveBeenCalledTimes(1);
});

it("a call is resumed only by its own caller, for its own target, and once", async () => {
  const { pending, add, resumed } = setUp();
  const id = add("a", { callerId: "ann" }) ?? "";
  expect(() => pending.resume(id, {}, "bob")).toThrow(expect.objectContaining(unknown));
  const dispatch = pending.resume(id, {}, "ann");
  expect(() => dispatch(request("other"), exchange)).toThrow(expect.objectContaining(unknown));
  await dispatch(request(), exchange);
  expect(() => dispatch(request(), exchange)).toThrow(expect.objectContaining(unknown));
  expect(resumed).toHaveLength(1);
});

it("a call stays pending after an answer that does not fit, and when its next round cannot start", () => {
  const { pending, add } = setUp();
  const inputRequests = { q: { method: "roots/list" } } as const;
  const fails = () => {
    throw new Error("the caller has gone");
  };
  const id = add("a", { inputRequests, resume: fails }) ?? "";
  expect(() => pending.resume(id, { q: "none" }, undefined)).toThrow(expect.objectContaining({ code: -32602 }));
  expect(() => pending.resume(id, { q: { roots: [] } }, undefined)(request(), exchange)).toThrow("has gone");
  expect(pending.size).toBe(1);
  pending.drop(() => true);
});

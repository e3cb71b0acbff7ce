import { processMemory } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeSessions } from "../testing/fakes.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { ParkedCalls, type ParkingLimits } from "./parked-calls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function setUp(limits: ParkingLimits) {
  const parked = new ParkedCalls(limits);
  const { sessions } = createFakeSessions({ affinity: "caller" });
  const sessionOf = async (callerId: string) => (await sessions.sessionFor(callerId)) as Session;
  const session = await sessionOf("somebody");
  let last = 0;
  const park = (callerId?: string, own = session): boolean => {
    last += 1;
    return parked.park({ sessions, session: own, inner: `token ${last}`, callerId, name: "ask", questions: {} });
  };
  return { parked, session, sessionOf, park };
}

test("there is room for so many in all", async () => {
  const { park } = await setUp({ maxParked: 2 });
  expect([park(), park("ann"), park("bob")]).toEqual([true, true, false]);
});

test("there is room for so many of one caller, until one goes on; callers without a name are not one", async () => {
  const { parked, session, park } = await setUp({ maxParkedPerCaller: 1 });
  expect([park("ann"), park("ann"), park(), park()]).toEqual([true, false, true, true]);
  expect(parked.take(session, "token 1")?.callerId).toBe("ann");
  expect(park("ann")).toBe(true);
});

test("large questions are counted in the memory budget while their calls wait, and need room there", async () => {
  const { parked, session } = await setUp({});
  const { sessions } = createFakeSessions({ affinity: "caller" });
  const parkWith = (inner: string, length: number): boolean => {
    const questions = { q: { method: "elicitation/create", params: { message: "x".repeat(length) } } } as never;
    return parked.park({ sessions, session, inner, callerId: "ann", name: "ask", questions });
  };
  const before = processMemory.heldByKind.calls;
  expect([parkWith("a", 10), processMemory.heldByKind.calls - before]).toEqual([true, 0]);
  expect(parkWith("b", 100_000)).toBe(true);
  expect(processMemory.heldByKind.calls - before).toBeGreaterThan(100_000);
  const { hardBytes } = processMemory;
  processMemory.limit(150_000);
  expect(parkWith("c", 100_000)).toBe(false);
  processMemory.limit(hardBytes);
  parked.take(session, "b");
  expect(processMemory.heldByKind.calls).toBe(before);
  parkWith("d", 100_000);
  parked.close();
  expect(processMemory.heldByKind.calls).toBe(before);
});

test("each is given up after its own time", async () => {
  const { parked, session, park } = await setUp({ parkedTtlMs: 1_000 });
  park();
  await vi.advanceTimersByTimeAsync(600);
  park();
  await vi.advanceTimersByTimeAsync(500);
  expect(parked.calls.map(({ inner }) => inner)).toEqual(["token 2"]);
  expect(session.users).toBe(1);
  await vi.advanceTimersByTimeAsync(500);
  expect([parked.size, session.users]).toEqual([0, 0]);
});

test("a session that ends takes its own calls with it, and no others", async () => {
  const { parked, session, sessionOf, park } = await setUp({});
  park("ann", await sessionOf("ann"));
  park();
  parked.forget(session);
  expect(parked.calls.map(({ callerId }) => callerId)).toEqual(["ann"]);
});

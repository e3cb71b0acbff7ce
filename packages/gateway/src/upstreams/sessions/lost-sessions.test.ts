import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LostSessions, type LostSessionsOptions } from "./lost-sessions.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

function create(options: Omit<LostSessionsOptions, "directory"> = {}) {
  const released: string[] = [];
  const lost = new LostSessions({ directory: { release: (name) => released.push(name) }, ...options });
  return { lost, released };
}

describe("the memory of lost sessions", () => {
  it("returns the first cause of a lost session once, and keeps the lease of the session", () => {
    const { lost, released } = create();
    lost.add("up caller ann", "evicted");
    lost.add("up caller ann", "expired");
    expect(lost.has("up caller ann")).toBe(true);
    expect([lost.take("up caller ann"), lost.take("up caller ann")]).toEqual(["evicted", undefined]);
    expect(released).toEqual([]);
  });

  it("forgets the oldest session beyond the limit, and gives up its lease", () => {
    const { lost, released } = create({ maxLost: 2 });
    for (const name of ["a", "b", "c"]) lost.add(name, "expired");
    expect([lost.size, released, lost.take("a"), lost.take("c")]).toEqual([2, ["a"], undefined, "expired"]);
    lost.close();
  });

  it("forgets a session after its time, gives up its lease, and then keeps no timer", async () => {
    const { lost, released } = create({ lostTtlMs: 1_000 });
    lost.add("a", "expired");
    await vi.advanceTimersByTimeAsync(900);
    lost.add("b", "expired");
    await vi.advanceTimersByTimeAsync(200);
    expect([released, lost.has("b")]).toEqual([["a"], true]);
    await vi.advanceTimersByTimeAsync(1_200);
    expect([released, lost.size, vi.getTimerCount()]).toEqual([["a", "b"], 0, 0]);
  });
});

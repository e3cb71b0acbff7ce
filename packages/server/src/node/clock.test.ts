// The single timer of a handler.
import { afterEach, expect, it, vi } from "vitest";
import { createClock, type Ticking, toTickMs } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("a clock ticks while it has members, and its timer ends with the last of them", () => {
  vi.useFakeTimers();
  const clock = createClock<Ticking>(100);
  const ticks: number[] = [];
  const member: Ticking = { place: -1, tick: (now) => void ticks.push(now) };
  expect(vi.getTimerCount()).toBe(0);
  clock.add(member);
  vi.advanceTimersByTime(250);
  expect([ticks, clock.now]).toEqual([[100, 200], 200]);
  clock.delete(member);
  vi.advanceTimersByTime(100);
  expect([vi.getTimerCount(), ticks.length]).toEqual([0, 2]);
  clock.add(member);
  expect(vi.getTimerCount()).toBe(1);
});

it("a member may leave in its own tick", () => {
  vi.useFakeTimers();
  const clock = createClock<Ticking>(100);
  const leaving: Ticking = { place: -1, tick: () => clock.delete(leaving) };
  const staying: Ticking = { place: -1, tick: vi.fn() };
  clock.add(leaving);
  clock.add(staying);
  vi.advanceTimersByTime(200);
  expect([clock.members.length, vi.mocked(staying.tick).mock.calls.length]).toEqual([1, 2]);
});

it("each member gets one tick per turn even if others leave, and leaving twice has no effect", () => {
  vi.useFakeTimers();
  const clock = createClock<Ticking>(100);
  const members = [0, 1, 2, 3].map((): Ticking => ({ place: -1, tick: vi.fn() }));
  for (const member of members) clock.add(member);
  for (const index of [1, 1, 3]) clock.delete(members[index] as Ticking);
  vi.advanceTimersByTime(100);
  expect(members.map(({ tick }) => vi.mocked(tick).mock.calls.length)).toEqual([1, 0, 1, 0]);
  expect(clock.members.map(({ place }) => place)).toEqual([0, 1]);
});

it("`empty` resolves when the last member leaves, or immediately", async () => {
  const clock = createClock<Ticking>(100);
  await clock.empty();
  const member: Ticking = { place: -1, tick() {} };
  clock.add(member);
  const seen: string[] = [];
  const waiting = [clock.empty(), clock.empty()].map((empty) => empty.then(() => seen.push("empty")));
  seen.push("before");
  clock.delete(member);
  await Promise.all(waiting);
  expect(seen).toEqual(["before", "empty", "empty"]);
});

it("the tick is a quarter of the shortest period, within limits", () => {
  expect(toTickMs([15_000, 30_000, 600_000])).toBe(1_000);
  expect(toTickMs([100, 30_000, 0])).toBe(25);
  expect(toTickMs([1])).toBe(10);
});

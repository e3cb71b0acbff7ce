// Calls that wait for their caller: bounded in number and in time.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createParking } from "./parking.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("what is parked is found by its token until it is released", () => {
  const parking = createParking<string>({ onExpired: () => {} });
  const token = parking.park("a") ?? "";
  expect([parking.find(token), parking.find(token), parking.find("other")]).toEqual(["a", "a", undefined]);
  parking.release(token);
  expect(parking.find(token)).toBeUndefined();
});

it("there is room for so many, and again when one has left", () => {
  const parking = createParking<string>({ maxParked: 2, onExpired: () => {} });
  const tokens = ["a", "b", "c"].map((item) => parking.park(item));
  expect(tokens).toEqual([expect.any(String), expect.any(String), undefined]);
  parking.release(tokens[0] ?? "");
  expect(parking.park("d")).toEqual(expect.any(String));
});

it("each expires at its own time, and one that was released never does", () => {
  const expired: string[] = [];
  const parking = createParking<string>({ ttlMs: 100, onExpired: (item) => expired.push(item) });
  parking.park("a");
  vi.advanceTimersByTime(60);
  const token = parking.park("b") ?? "";
  parking.park("c");
  vi.advanceTimersByTime(40);
  expect(expired).toEqual(["a"]);
  parking.release(token);
  vi.advanceTimersByTime(60);
  expect(expired).toEqual(["a", "c"]);
});

it("nothing expires after close, and no timer is left", () => {
  const parking = createParking<string>({ ttlMs: 100, onExpired: () => expect.unreachable() });
  parking.park("a");
  parking.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(1_000);
});

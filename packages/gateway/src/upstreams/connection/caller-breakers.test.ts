import { expect, it, vi } from "vitest";
import { CallerBreakers } from "./caller-breakers.ts";

it("failures of one caller delay only that caller", () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  vi.useFakeTimers();
  const gates = new CallerBreakers({ firstMs: 100 });
  gates.failed("ann");
  vi.advanceTimersByTime(100);
  gates.failed("ann");
  expect([gates.delayMsOf("ann"), gates.delayMsOf("bob"), gates.delayMsOf(undefined)]).toEqual([200, 0, 0]);
  gates.succeeded("ann");
  expect([gates.delayMsOf("ann"), gates.size]).toEqual([0, 0]);
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("forgets the caller with the oldest failure when there are too many", () => {
  const gates = new CallerBreakers({ firstMs: 10_000 });
  for (let number = 0; number < 1_000; number += 1) gates.failed(`c${number}`);
  gates.failed("c0");
  gates.failed("one more");
  expect(gates.size).toBe(1_000);
  expect(gates.delayMsOf("c1")).toBe(0);
  expect(gates.delayMsOf("c0")).toBeGreaterThan(0);
});

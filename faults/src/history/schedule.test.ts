import fc from "fast-check";
import { expect, it } from "vitest";
import { faultKinds, planSchedule } from "./schedule.ts";

const minutes = 10 * 60_000;

it("a seed determines the schedule", () => {
  expect(planSchedule(7, minutes)).toEqual(planSchedule(7, minutes));
  expect(planSchedule(7, minutes)).not.toEqual(planSchedule(8, minutes));
});

it("schedules of ten minutes contain every kind of fault, alone or with another", () => {
  const steps = [1, 2, 3].flatMap((seed) => planSchedule(seed, minutes));
  expect(new Set(steps.flatMap(({ faults }) => faults.map(({ kind }) => kind)))).toEqual(new Set(faultKinds));
  expect(steps.some(({ faults }) => faults.length === 2)).toBe(true);
});

it("no schedule has two faults of Redis or of one replica at the same time", () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      for (const { faults } of planSchedule(seed, minutes)) {
        const redis = faults.filter(({ kind }) => kind.startsWith("redis") || kind === "flush");
        expect(redis.length).toBeLessThan(2);
        expect(new Set(faults.map(({ replica }) => replica)).size).toBe(faults.length);
        expect(new Set(faults.map(({ kind }) => kind)).size).toBe(faults.length);
      }
    }),
    { numRuns: 50 },
  );
});

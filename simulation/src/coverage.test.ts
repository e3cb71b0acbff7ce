import { expect, it } from "vitest";
import { findGap } from "./coverage.ts";

it("names what too few of many schedules reached", () => {
  expect(findGap({ schedules: 2_000, directSchedules: 199 })).toContain("only 199 of 2000 schedules");
  expect(findGap({ schedules: 2_000, directSchedules: 200 })).toBeUndefined();
  expect(findGap({ schedules: 20, directSchedules: 0 })).toBeUndefined();
});

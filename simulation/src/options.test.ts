// The command line of the simulation.
import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("runs 2,000 schedules from the first one by default", () => {
  expect(parseOptions([])).toMatchObject({ from: 1, schedules: 2_000, isTraced: false, untilFound: false });
});

it("runs one schedule when its number is given", () => {
  expect(parseOptions(["--schedule", "77", "--trace"])).toMatchObject({ from: 77, schedules: 1, isTraced: true });
});

it.each([
  [["--schedules", "none"], "--schedules: a whole number of at least 1 expected, got none"],
  [["--trace"], "--trace needs --schedule K"],
])("rejects %j", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("the fuzzer runs for ten minutes with a random seed by default", () => {
  expect(parseOptions([])).toMatchObject({ ms: 600_000, targets: [], round: undefined, json: false });
  expect(parseOptions([]).seed).toMatch(/^\d+$/);
});

it("the fuzzer accepts minutes, seconds, a seed, targets and a round", () => {
  const options = parseOptions(["--seconds", "2", "--seed", "s", "--target", "sse", "--target", "raw", "--round", "7"]);
  expect(options).toMatchObject({ ms: 2_000, seed: "s", targets: ["sse", "raw"], round: 7 });
});

it.each([
  [["--minutes", "0"], "--minutes must be a number above 0"],
  [["--minutes", "1", "--seconds", "1"], "either --minutes or --seconds"],
  [["--round", "1"], "--round needs the --seed"],
  [["--round", "x", "--seed", "1"], "--round must be a whole number"],
  [["--nothing"], "nothing"],
])("the fuzzer rejects the options %j", (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

// The command line of the program that counts what a large deployment costs.
import { expect, it } from "vitest";
import { parseScaleOptions } from "./options.ts";

it("runs each number of replicas with the first number of sessions, and the other numbers of sessions with the last number of replicas", () => {
  const { deployments } = parseScaleOptions(["--replicas", "10,100", "--sessions", "1000,1000000", "--calls", "500"]);
  const load = { callsPerSecond: 500, seconds: 1 };
  expect(deployments).toEqual([
    { replicas: 10, sessions: 1_000, ...load },
    { replicas: 100, sessions: 1_000, ...load },
    { replicas: 100, sessions: 1_000_000, ...load },
  ]);
});

it.each([
  [["--replicas", "1"], "--replicas: whole numbers of at least 2, separated by commas, expected, got 1"],
  [
    ["--replicas", "10", "--sessions", "5"],
    "--sessions: whole numbers of at least 10, separated by commas, expected, got 5",
  ],
])("rejects %j", (args, message) => {
  expect(() => parseScaleOptions(args)).toThrow(message);
});

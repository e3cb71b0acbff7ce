import { expect, test } from "vitest";
import { contenders } from "./contenders.ts";
import { parseOptions } from "./options.ts";
import { workloads } from "./workloads.ts";

test("without flags the benchmark runs every contender and workload", () => {
  expect(parseOptions([])).toMatchObject({ contenders, workloads, rounds: 5, seconds: 0.8, help: false });
});

test("the benchmark measures the baseline even if --only does not name it", () => {
  expect(parseOptions(["--only", "official v1"]).contenders.map(({ name }) => name)).toEqual(["floor", "official v1"]);
});

test("a workload is selected by its name or the name of its family", () => {
  const idsFor = (list: string): string[] => parseOptions(["--workloads", list]).workloads.map(({ id }) => id);
  expect(idsFor("call-1,stdio")).toEqual(["call-1", "stdio-1", "stdio-64"]);
});

test("--quick skips variants and secondary workloads", () => {
  const quick = parseOptions(["--quick"]);
  expect(quick.contenders.some(({ isVariant }) => isVariant)).toBe(false);
  expect(quick.workloads.every(({ isMain }) => isMain)).toBe(true);
});

test("an unknown name or an invalid number is rejected with the flag's name", () => {
  expect(() => parseOptions(["--only", "nobody"])).toThrow('--only: unknown name "nobody"');
  expect(() => parseOptions(["--workloads", "calls"])).toThrow("--workloads");
  expect(() => parseOptions(["--rounds", "0"])).toThrow("--rounds");
  expect(() => parseOptions(["--rounds", "1.5"])).toThrow("--rounds");
  expect(() => parseOptions(["--seconds", "soon"])).toThrow("--seconds");
});

test("all contenders and workloads have unique names", () => {
  expect(new Set(contenders.map(({ name }) => name)).size).toBe(contenders.length);
  expect(new Set(workloads.map(({ id }) => id)).size).toBe(workloads.length);
});

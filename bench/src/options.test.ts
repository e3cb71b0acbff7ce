import { expect, test } from "vitest";
import { contenders } from "./contenders.ts";
import { parseOptions } from "./options.ts";
import { workloads } from "./workloads.ts";

test("without flags everything is measured", () => {
  expect(parseOptions([])).toMatchObject({ contenders, workloads, rounds: 5, seconds: 0.8, help: false });
});

test("the floor is measured even when it is not asked for", () => {
  expect(parseOptions(["--only", "official v1"]).contenders.map(({ name }) => name)).toEqual(["floor", "official v1"]);
});

test("a workload is chosen by its name or by that of its family", () => {
  const idsFor = (list: string): string[] => parseOptions(["--workloads", list]).workloads.map(({ id }) => id);
  expect(idsFor("call-1,stdio")).toEqual(["call-1", "stdio-1", "stdio-64"]);
});

test("--quick leaves out variants and side workloads", () => {
  const quick = parseOptions(["--quick"]);
  expect(quick.contenders.some(({ isVariant }) => isVariant)).toBe(false);
  expect(quick.workloads.every(({ isMain }) => isMain)).toBe(true);
});

test("an unknown name or a useless number is refused with the flag's name", () => {
  expect(() => parseOptions(["--only", "nobody"])).toThrow('--only: unknown name "nobody"');
  expect(() => parseOptions(["--workloads", "calls"])).toThrow("--workloads");
  expect(() => parseOptions(["--rounds", "0"])).toThrow("--rounds");
  expect(() => parseOptions(["--rounds", "1.5"])).toThrow("--rounds");
  expect(() => parseOptions(["--seconds", "soon"])).toThrow("--seconds");
});

test("contenders and workloads have names of their own", () => {
  expect(new Set(contenders.map(({ name }) => name)).size).toBe(contenders.length);
  expect(new Set(workloads.map(({ id }) => id)).size).toBe(workloads.length);
});

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { type Contender, contenders, floorName } from "../contenders.ts";
import { checkGreeting, checkProgress } from "../load/check-answer.ts";
import { greetCall } from "../load/wire.ts";
import { httpWorkload } from "./http-workload.ts";
import type { Plan } from "./workload.ts";

// Contenders are processes of their own, so they run compiled; everywhere else the sources run.
beforeAll(() => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  if (existsSync(`${root}/bench/dist/contenders/floor-http.js`)) return;
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "bench"], { cwd: root });
}, 60_000);

function planFor(contenders: readonly Contender[]): Plan {
  const cores = { prefix: [], loadPrefix: [], eitherPrefix: [], note: "" };
  return { contenders, rounds: 2, seconds: 0.02, cores, progress: () => {} };
}

const floor = contenders.filter(({ name }) => name === floorName);
const work = {
  id: "smoke",
  title: "smoke",
  isMain: true,
  env: { TOOLS: "1" },
  request: greetCall,
  check: checkGreeting,
};

test("an HTTP workload starts the baseline, checks it, loads it for two rounds and stops it", async () => {
  const { rows } = await httpWorkload(work).run(planFor(floor));
  expect(rows).toHaveLength(1);
  expect(rows[0]?.failure).toBeUndefined();
  expect(rows[0]?.samples).toHaveLength(2);
  for (const { perSecond, p50, p99 } of rows[0]?.samples ?? []) {
    expect(perSecond).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50 ?? Number.NaN);
  }
});

test("a wrong response fails the contender", async () => {
  const { rows } = await httpWorkload({ ...work, check: checkProgress }).run(planFor(floor));
  expect(rows[0]?.failure).toBe("no progress before the result");
});

test("a contender that does not start is reported by name, and the others continue", async () => {
  const broken: Contender = { name: "broken", wire: "modern", http: [process.execPath, "/nowhere/at-all.js"] };
  const { rows } = await httpWorkload(work).run(planFor([broken, ...floor]));
  expect(rows.map(({ contender, samples }) => [contender, samples.length])).toEqual([
    ["broken", 0],
    ["floor", 2],
  ]);
  expect(rows[0]?.failure).toMatch(/^ended with code 1: Error: Cannot find module/);
});

import { expect, test } from "vitest";
import { createVerdictMemory } from "./verdict-memory.ts";

const legacy = { era: "legacy", revision: "2025-11-25", transport: "http-sse" } as const;
const modern = { era: "modern", revision: "2026-07-28" } as const;

test("a legacy verdict expires, so that an upgraded server is noticed (J-30)", () => {
  let now = 1000;
  const memory = createVerdictMemory({ legacyTtlMs: 500, now: () => now });
  memory.set("a", legacy);
  memory.set("b", modern);
  now = 1499;
  expect(memory.get("a")).toEqual({ ...legacy, foundAt: 1000 });
  now = 1500;
  expect(memory.get("a")).toBeUndefined();
  expect(memory.get("b")).toMatchObject(modern);
});

test("a clock that was set back does not keep a verdict forever", () => {
  let now = 1000;
  const memory = createVerdictMemory({ now: () => now });
  memory.set("a", legacy);
  now = 10;
  expect(memory.get("a")).toBeUndefined();
});

test("the entries of one process serve another", () => {
  const first = createVerdictMemory({ now: () => 7 });
  first.set("a", legacy);
  const saved = JSON.parse(JSON.stringify(first.entries()));
  expect(createVerdictMemory({ entries: saved, now: () => 8 }).get("a")).toEqual({ ...legacy, foundAt: 7 });
});

test("the oldest verdict is dropped above the limit", () => {
  const memory = createVerdictMemory({ maxEntries: 2 });
  for (const endpoint of ["a", "b", "a", "c"]) memory.set(endpoint, modern);
  expect(memory.entries().map(([endpoint]) => endpoint)).toEqual(["a", "c"]);
  memory.delete("a");
  expect(memory.get("a")).toBeUndefined();
});

// docs/operations/errors.md explains every reason of the source, and no other.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { reasonsInDocument, reasonsInSource, unionIn } from "./documented-reasons.ts";

const rows = reasonsInDocument(readFileSync(new URL("../docs/operations/errors.md", import.meta.url), "utf8"));
const documented = new Set(rows.map(({ reason }) => reason));
const source = reasonsInSource();

it.each([...source])("docs/operations/errors.md explains every reason of %s", (_origin, reasons) => {
  expect(reasons.filter((reason) => !documented.has(reason))).toEqual([]);
});

it("reasons are found in every union type and list of the source", () => {
  const counts = [...source].map(([, reasons]) => reasons.length);
  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(new Set([...source.values()].flat()).size).toBeGreaterThan(60);
});

it("docs/operations/errors.md explains no reason that the source does not have", () => {
  const known = new Set([...source.values()].flat());
  expect([...documented].filter((reason) => !known.has(reason))).toEqual([]);
});

it("each documented reason has a cause and a remedy", () => {
  expect(rows.filter(({ cause, remedy }) => cause.length < 10 || remedy.length < 5)).toEqual([]);
});

it("the members of a union type are read without those in its comments", () => {
  const text = 'export type A =\n  /** Not "this". */\n  | "first"\n  | "the-second";\nexport type B = "third";';
  expect(unionIn(text, "A")).toEqual(["first", "the-second"]);
});

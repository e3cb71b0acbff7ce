// Every cited requirement id is defined in docs/requirements.md, and API documentation cites none.
import { expect, it } from "vitest";
import { citationsIn, citationsInApi, definedIds, readTracked, trackedFiles } from "./requirements.ts";

const sheetFile = "docs/requirements.md";
const thisFile = "scripts/requirements.test.ts";

it("docs/requirements.md defines each id once", () => {
  const ids = definedIds(readTracked(sheetFile));
  expect(ids.length).toBeGreaterThan(400);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

it("every id that code, comments, tests or documents cite is defined in docs/requirements.md", () => {
  const ids = new Set(definedIds(readTracked(sheetFile)));
  const files = trackedFiles(/\.(?:ts|mjs|md|json)$/).filter((file) => !isForeign(file) && file !== thisFile);
  const citations = files.flatMap((file) => citationsIn(readTracked(file), file));
  expect(citations.length).toBeGreaterThan(1_000);
  expect(citations.filter(({ id }) => !ids.has(id))).toEqual([]);
});

it("no doc comment of an exported name cites a requirement id", () => {
  const sources = trackedFiles(/^packages\/[^/]+\/src\/.*\.ts$/).filter(
    (file) => !/\.test\.ts$|\/testing\//.test(file),
  );
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap((file) => citationsInApi(readTracked(file), file))).toEqual([]);
});

it("no document except docs/requirements.md cites a requirement id", () => {
  const documents = trackedFiles(/\.md$/).filter((file) => file !== sheetFile && !isForeign(file));
  expect(documents.length).toBeGreaterThan(15);
  expect(documents.flatMap((file) => citationsIn(readTracked(file), file))).toEqual([]);
});

it("requirements, sections and numbered steps of a section are ids", () => {
  const sheet = "### B.3 Headers\n\n- **B-30** MUST: first.\n1. A step.\n## C. stdio\n1. No step of a section.\n";
  expect(definedIds(sheet)).toEqual(["B.3", "B-30", "B.3/1"]);
});

it("citations have a file and a line, and look-alikes such as UTF-8 are none", () => {
  expect(citationsIn("UTF-8, SHA-1\nB-30 and D.2/3 (E.4)", "a.ts")).toEqual([
    { file: "a.ts", line: 2, id: "B-30" },
    { file: "a.ts", line: 2, id: "D.2/3" },
    { file: "a.ts", line: 2, id: "E.4" },
  ]);
});

it("doc comments of exports and of members of types are found, those of private parts are not", () => {
  const source = `
/** A-1 */
export interface Shown {
  /** A-2 */
  member: string;
}
/** A-3 */
function local() {}
export class Counter {
  /** A-4 */
  #count = 0;
  /** A-5 */
  next() {}
}
export function build() {
  /** A-6 */
  const inner = 1;
}
`;
  expect(citationsInApi(source, "a.ts").map(({ id, line }) => [id, line])).toEqual([
    ["A-1", 2],
    ["A-2", 4],
    ["A-5", 12],
  ]);
});

/** Recorded traffic, schemas and lists of other projects have ids of their own. */
function isForeign(file: string): boolean {
  return /\/testdata\/|\/schema\/|package-lock\.json$/.test(file);
}

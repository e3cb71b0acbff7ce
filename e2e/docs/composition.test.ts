// Runs the programs of docs/composition.md and checks what they print.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterAll, expect, test } from "vitest";
import { withVerification } from "../../scripts/doc-examples.ts";

const text = readFileSync(new URL("../../docs/composition.md", import.meta.url), "utf8");
const sections = text.split(/^## /m).slice(1);
const programs = sections.map((section) => ({
  title: section.slice(0, section.indexOf("\n")),
  code: section.split("```ts\n")[1]?.split("```")[0] ?? "",
}));
const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".composition-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("docs/composition.md has a program in each of its sections", () => {
  expect(programs.length).toBeGreaterThan(4);
  expect(programs.filter(({ code }) => code === "")).toEqual([]);
});

test.each(programs)("the program of the section $title runs and prints what it says", async ({ title, code }) => {
  const path = join(folder, `${title.toLowerCase().replaceAll(" ", "-")}.ts`);
  writeFileSync(path, withVerification(code));
  let count = 0;
  Object.assign(globalThis, {
    verify(expected: string, ...values: unknown[]) {
      count += 1;
      expect(format(...values)).toBe(expected);
    },
  });
  await import(path);
  expect(count).toBe(code.match(/console\.log\(.*\); \/\/ /g)?.length ?? 0);
});

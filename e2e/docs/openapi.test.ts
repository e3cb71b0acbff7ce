// Runs the programs of docs/openapi.md and checks what they print.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterAll, expect, test } from "vitest";
import { withVerification } from "../../scripts/doc-examples.ts";

const text = readFileSync(new URL("../../docs/openapi.md", import.meta.url), "utf8");
const programs = [...text.matchAll(/^## (.+)\n[^#]*?```ts\n([\s\S]*?)```/gm)].map(([, title = "", code = ""]) => {
  return { title, code };
});
const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".openapi-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("docs/openapi.md has programs", () => {
  expect(programs.map(({ title }) => title)).toEqual(["Mounting an API", "Selecting operations", "Credentials"]);
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

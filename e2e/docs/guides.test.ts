// Runs the programs of the guides and checks what they print.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { withVerification } from "../../scripts/doc-examples.ts";

/** The number of programs of each guide. */
const guides = {
  "apps.md": 1,
  "composition.md": 5,
  "concepts/input.md": 1,
  "guides/callers.md": 2,
  "guides/http.md": 2,
  "guides/resources-and-prompts.md": 4,
  "guides/tools.md": 9,
  "openapi.md": 3,
  "session-state.md": 2,
  "extensions.md": 2,
  "skills.md": 1,
  "start/client.md": 1,
};

const folder = mkdtempSync(join(fileURLToPath(new URL(".", import.meta.url)), ".guides-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs create their files in an empty folder. */
const before = process.cwd();
let workingFolder: string;
beforeEach(() => {
  workingFolder = mkdtempSync(join(tmpdir(), "lethe-guide-"));
  process.chdir(workingFolder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(workingFolder, { recursive: true });
});

describe.each(Object.entries(guides))("docs/%s", (guide, expected) => {
  const text = readFileSync(new URL(`../../docs/${guide}`, import.meta.url), "utf8");
  const programs = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""], index) => ({
    number: index + 1,
    code,
  }));

  test(`has ${expected} programs`, () => {
    expect(programs).toHaveLength(expected);
  });

  test.each(programs)("program $number runs and prints what it says", async ({ number, code }) => {
    const path = join(folder, `${guide.replace(".md", "").replace("/", "-")}-${number}.ts`);
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
});

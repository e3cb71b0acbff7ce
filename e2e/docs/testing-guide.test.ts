// Type-checks and runs the code of docs/testing.md: its tests are registered as tests of this file.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(root, "e2e/docs/.guide-"));
const guide = readFileSync(join(root, "docs/testing.md"), "utf8");
/** Each block begins with a comment that names its file. */
const files = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = "", code = ""]) => ({
  name,
  code,
}));
for (const { name, code } of files) {
  writeFileSync(join(folder, name), code.replaceAll('.js";', '.ts";'));
}

afterAll(() => rmSync(folder, { recursive: true }));

test("the guide has code for every part of the entry point", () => {
  expect(files.map(({ name }) => name)).toEqual([
    "orders.ts",
    "price.test.ts",
    "order.test.ts",
    "expiry.test.ts",
    "everywhere.test.ts",
    "wire.test.ts",
    "replay.test.ts",
  ]);
});

test("the code of the guide compiles", () => {
  const extended = { extends: join(root, "tsconfig.tests.json"), include: ["*.ts"], exclude: [] };
  const config = { ...extended, compilerOptions: { rootDir: root } };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
});

for (const { name } of files) if (name.endsWith(".test.ts")) await import(join(folder, name));

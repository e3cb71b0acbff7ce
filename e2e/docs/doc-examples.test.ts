// Type-checks and runs the `@example` blocks in the doc comments of the packages.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { format, promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningPostgres, startPostgres } from "../../packages/postgres/src/testing/postgres-server.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { type DocExample, readDeclaredNames, readDocExamples, withVerification } from "../../scripts/doc-examples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The entry points whose functions and classes all have an example. */
const entryPoints: Readonly<Record<string, readonly string[]>> = {
  server: [
    "@lethe/server",
    "@lethe/server/auth",
    "@lethe/server/edge",
    "@lethe/server/extensions",
    "@lethe/server/middleware",
    "@lethe/server/node",
    "@lethe/server/sealing",
    "@lethe/server/stores",
    "@lethe/server/workers",
  ],
  openapi: ["@lethe/openapi", "@lethe/openapi/node"],
  redis: ["@lethe/redis"],
  postgres: ["@lethe/postgres"],
  testing: ["@lethe/server/testing"],
  client: [
    "@lethe/client",
    "@lethe/client/auth",
    "@lethe/client/edge",
    "@lethe/client/extensions",
    "@lethe/client/node",
  ],
};

const packages = Object.keys(entryPoints).map((name) => ({ name, source: join(root, "packages", name, "src") }));
/** Of lethe/compare, only fixtures are for the programs of users. */
const fixtures = join(root, "packages/compare/src/fixture");
/** These start their own program again, which has to be theirs and not the test runner. */
const programs: ReadonlySet<string> = new Set(["startWorkers"]);
const examples = [...packages.map(({ source }) => source), fixtures].flatMap((source) => readDocExamples(source));
const folder = mkdtempSync(join(root, "e2e/docs/.examples-"));
let redis: RunningRedis;
let postgres: RunningPostgres;

beforeAll(async () => {
  [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  for (const example of examples) {
    const code = withVerification(example.code)
      .replaceAll("redis://127.0.0.1:6379", redis.url)
      .replaceAll("postgres://lethe@127.0.0.1:5432/lethe", postgres.url);
    writeFileSync(pathOf(example), `${code}export {};\n`);
  }
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([redis.stop(), postgres.stop()]);
});

function pathOf({ name, file }: DocExample): string {
  return join(folder, `${relative(root, file).replace(/\.ts$/, "").replaceAll(sep, "-")}-${name}.ts`);
}

test.each(packages)("every exported function and class of $name has an example", async ({ name, source }) => {
  const own = readDeclaredNames(source);
  const exported = await Promise.all(
    (entryPoints[name] ?? []).map(async (entry) => Object.entries(await import(entry))),
  );
  const names = exported.flat().flatMap(([key, value]) => (typeof value === "function" && own.has(key) ? [key] : []));
  expect(names.length).toBeGreaterThan(3);
  const shown = new Set(examples.map((example) => example.name));
  expect(names.filter((key) => !shown.has(key))).toEqual([]);
});

test("every example compiles", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "globals.d.ts"),
    "declare function verify(expected: string, ...values: unknown[]): void;\n",
  );
  const extended = { extends: join(root, "tsconfig.tests.json"), include: ["*.ts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...extended, compilerOptions: { rootDir: root } }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
});

test.each(examples)("the example of $name runs and prints what it says", async (example) => {
  Object.assign(globalThis, {
    verify: (expected: string, ...values: unknown[]) => expect(format(...values)).toBe(expected),
  });
  if (programs.has(example.name)) await runProgram(example);
  else await import(pathOf(example));
});

/** Rejects with its output if it fails. */
async function runProgram(example: DocExample): Promise<void> {
  const program = pathOf(example).replace(/\.ts$/, ".mjs");
  writeFileSync(program, example.code);
  await promisify(execFile)(process.execPath, [program]);
}

// Runs docs/getting-started.md as a new user does: `npm create lethe` in an empty folder, with packages of a registry. Compares the
// output with the document, and prints how long it took.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createShell, expectOutput, type Step, stepsIn } from "../docs/testing/transcript.ts";
import { freePort } from "../processes/testing/free-port.ts";
import { ownState } from "../processes/testing/own-state.ts";
import { type LocalRegistry, startRegistry } from "./local-registry.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lethe-getting-started-"));
const run = promisify(execFile);
let registry: LocalRegistry;
let environment: NodeJS.ProcessEnv;
let port: number;
const shell = createShell(() => environment);

beforeAll(async () => {
  registry = await startRegistry(join(folder, "packages"));
  port = await freePort();
  // The settings of vitest and of the npm that runs it are not those of a user.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_OPTIONS|NODE_ENV|FORCE_COLOR)/i.test(name),
  );
  environment = {
    ...Object.fromEntries(own),
    ...ownState,
    npm_config_registry: registry.url,
    // Answers the question of npm whether it may install create-lethe.
    npm_config_yes: "true",
    npm_config_audit: "false",
    npm_config_prefer_offline: "true",
    NO_COLOR: "1",
    PORT: String(port),
  };
});

afterAll(async () => {
  shell.close();
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The document with the port of this test. */
function stepsOf(file: string): Step[] {
  return stepsIn(readFileSync(join(root, file), "utf8").replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`));
}

it("npm create lethe leads from an empty folder to an answered call, with the output that the document shows", async () => {
  let cwd = folder;
  const startedAt = performance.now();
  const steps = stepsOf("docs/getting-started.md");
  expect(steps.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual(
    expect.arrayContaining(["npm create", "npm test", "npm start", "npx lethe"]),
  );
  const times: string[] = [];
  for (const step of steps) {
    const before = performance.now();
    const [, target] = /^cd (\S+)$/.exec(step.command) ?? [];
    if (target !== undefined) cwd = join(cwd, target);
    else expectOutput(await shell.run(step.command, cwd), step);
    times.push(`${((performance.now() - before) / 1000).toFixed(1)} s  ${step.command}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`from an empty folder to an answered call: ${seconds.toFixed(1)} s\n${times.join("\n")}`);
}, 300_000);

it("npx creates a project from packed tarballs with the command that the document shows", async () => {
  const text = readFileSync(join(root, "docs/getting-started.md"), "utf8");
  const [shown] = /^npx --package .*$/m.exec(text) ?? [];
  const command = shown?.replaceAll("~/lethe-packages", registry.folder).replace("my-server", "from-tarballs");
  const flags = process.env.LETHE_FULL ? "--yes" : "--yes --no-install";
  expect(await shell.run(`${command} ${flags}`, folder)).toContain("Created from-tarballs.");
  if (!process.env.LETHE_FULL) return;
  const installed = readFileSync(join(folder, "from-tarballs/node_modules/.package-lock.json"), "utf8");
  const { packages } = JSON.parse(installed) as { packages: Record<string, { resolved?: string }> };
  const sources = Object.entries(packages).filter(([path]) => /node_modules\/(@lethe\/|lethe$)/.test(path));
  expect(sources.length).toBeGreaterThanOrEqual(6);
  expect(sources.filter(([, { resolved }]) => !resolved?.startsWith("file:"))).toEqual([]);
}, 120_000);

/** Each takes seconds. The full test run has all. */
const templates = process.env.LETHE_FULL ? ["tools", "app", "gateway"] : ["gateway"];

it.each(templates)(
  "the tests of a project of the template %s pass",
  async (template) => {
    const create = join(root, "packages/create-lethe/bin/create-lethe.js");
    const args = [create, template, "--template", template, "--no-install", "--json"];
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: environment });
    const created = JSON.parse(stdout) as { folder: string; next: string[] };
    expect(created.next.slice(0, 2)).toEqual([`cd ${template}`, "npm install"]);
    // All templates depend on the same packages.
    symlinkSync(join(folder, "my-server/node_modules"), join(created.folder, "node_modules"));
    const output = await shell.run("npm test", created.folder);
    expect(output).toMatch(/^# fail 0$/m);
    expect(output).toMatch(/^# pass [1-9]/m);
  },
  120_000,
);

it("npm create lethe explains why it does not write into a folder with files", async () => {
  const create = join(root, "packages/create-lethe/bin/create-lethe.js");
  const failure = await run(process.execPath, [create, "my-server", "--yes"], { cwd: folder, env: environment }).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(failure).toMatchObject({ code: 1 });
  expect(failure.stderr).toMatch(
    /^error: my-server is not empty: it contains .*; name another folder, or empty this one\n$/,
  );
});

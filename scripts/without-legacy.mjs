// Proves that support for older revisions is a folder that can be deleted (ARCHITECTURE.md): copies the server package, takes
// packages/server/src/legacy out of it, builds it and runs its own tests.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const settings = ["package.json", "tsconfig.base.json", "scripts/bundle.mjs", "scripts/contained-packages.mjs"];
const packages = ["protocol", "server"];

/** Replaces plug-legacy.ts. */
const emptyPlug = `// Serves 2026-07-28 only.
export type LegacyServerOptions = {};
export const knownLegacyServerOptions: {} = {};
export function plugLegacy(..._: unknown[]): undefined {}
`;

/** Replace what workers share of older clients' sessions. */
const emptyWorkerParts = {
  "linked-legacy.ts": `// Shares nothing.
export type LinkedSessions = {};
export function createLinkedSessions(..._: unknown[]): LinkedSessions {
  return {};
}
`,
  "event-host.ts": `// Keeps no events.
export class EventHost {
  readonly operations: {} = {};
  workerEnded(_: number): void {}
}
`,
};

/** Unlike that of the workspace, it does not check messages against the schemas. It allows for a busy machine. */
const vitestConfig = `
const conditions = ["@lethe/source", "node"];
const include = ["packages/server/src/**/*.test.ts"];
// It lists the exports, among them those of the legacy edge.
const exclude = ["packages/server/src/entry-points.test.ts"];
const test = { include, exclude, isolate: false, testTimeout: 30_000, retry: 2 };
export default { resolve: { conditions }, ssr: { resolve: { conditions } }, test };
`;

const copy = mkdtempSync(join(tmpdir(), "lethe-without-legacy-"));
try {
  copySources();
  linkModules();
  removeLegacy(join(copy, "packages/server/src"));
  removeTesting(join(copy, "packages/server"));
  run("node_modules/typescript/bin/tsc", "-b", "packages/server");
  run("scripts/bundle.mjs");
  writeFileSync(join(copy, "vitest.config.mjs"), vitestConfig);
  run("node_modules/vitest/vitest.mjs", "run");
} finally {
  rmSync(copy, { recursive: true });
}

function copySources() {
  const isSource = (path) => !/[\\/](dist|node_modules)$/.test(path);
  for (const path of [...settings, ...packages.map((name) => `packages/${name}`)]) {
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isSource });
  }
}

/** Links the packages of the workspace to the copy. */
function linkModules() {
  linkAll("node_modules", (name) => name !== "@lethe");
  mkdirSync(join(copy, "node_modules/@lethe"));
  for (const name of packages) {
    if (existsSync(join(root, "packages", name, "node_modules"))) linkAll(`packages/${name}/node_modules`, () => true);
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules/@lethe", name));
  }
}

function linkAll(folder, isWanted) {
  mkdirSync(join(copy, folder));
  for (const name of readdirSync(join(root, folder)).filter((name) => isWanted(name) && name !== ".bin")) {
    symlinkSync(join(root, folder, name), join(copy, folder, name));
  }
}

function removeLegacy(source) {
  rmSync(join(source, "legacy"), { recursive: true });
  writeFileSync(join(source, "plug-legacy.ts"), emptyPlug);
  const workers = join(source, "node/workers");
  for (const [name, text] of Object.entries(emptyWorkerParts)) writeFileSync(join(workers, name), text);
  rmSync(join(workers, "linked-legacy.test.ts"));
  for (const name of readdirSync(source).filter((file) => file.endsWith(".ts"))) {
    const file = join(source, name);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/^export [^;]* from "\.\/legacy\/[^"]*";\n/gm, ""));
  }
}

/** The entry point for tests needs a client and connects by older revisions too. */
function removeTesting(folder) {
  rmSync(join(folder, "src/testing.ts"));
  const file = join(folder, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  delete manifest.exports["./testing"];
  writeFileSync(file, JSON.stringify(manifest));
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [join(copy, script), ...args], { cwd: copy, stdio: "inherit" });
  if (status !== 0) throw new Error(`without legacy/, ${script} ended with code ${status}`);
}

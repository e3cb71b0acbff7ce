// Prepares a clone: installs the dependencies of package-lock.json and compiles. Skips steps that are up to date.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Runs a command with its output on stderr, because stdout belongs to the caller. Exits if the command fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  if (error || status !== 0) {
    console.error(`\n${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ` with exit code ${status}`}`);
    process.exit(status || 1);
  }
}

function isStale(made, source) {
  const [madeFile, sourceFile] = [made, source].map((path) => `${root}/${path}`);
  return !existsSync(madeFile) || statSync(madeFile).mtimeMs < statSync(sourceFile).mtimeMs;
}

export function makeReady() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Lethe needs Node 20.19 or later, this is ${process.versions.node}`);
    process.exit(1);
  }
  if (isStale("node_modules/.package-lock.json", "package-lock.json")) {
    console.error("Installing dependencies …");
    run(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  }
  console.error("Compiling …");
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-b"]);
  run(process.execPath, ["scripts/build-console.mjs"]);
  run(process.execPath, ["scripts/bundle.mjs"]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) makeReady();

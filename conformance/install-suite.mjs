// Installs the official conformance suite with the newer version of Node that it needs. Exits on failure.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const suite = fileURLToPath(new URL("suite", import.meta.url));
export const suiteNode = `${suite}/node_modules/.bin/node`;
export const suiteMain = `${suite}/node_modules/.bin/conformance`;

export function installSuite() {
  if (existsSync(`${suite}/node_modules/.package-lock.json`) && existsSync(suiteNode)) return;
  console.error("Installing the conformance suite and the Node that it needs …");
  const { status } = spawnSync("npm", ["ci", "--engine-strict=false", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: suite,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

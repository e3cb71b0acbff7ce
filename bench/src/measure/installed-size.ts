// Measures the installed size of a package and all its dependencies in node_modules.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Installed {
  packages: number;
  /** Disk usage in whole blocks, as du counts it. */
  bytes: number;
}

const blockSize = 4096;

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Finds packages in node_modules of `from` or of its parents. */
export function measureInstalled(roots: readonly string[], from: string): Installed {
  const found = new Set<string>();
  const waiting = roots.map((name) => findPackage(name, from));
  for (let directory = waiting.pop(); directory; directory = waiting.pop()) {
    if (found.has(directory)) continue;
    found.add(directory);
    for (const name of dependenciesOf(readManifest(directory))) waiting.push(findPackage(name, directory));
  }
  const bytes = [...found].reduce((sum, directory) => sum + sizeOf(directory), 0);
  return { packages: found.size, bytes };
}

function dependenciesOf({ dependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...peers];
}

function findPackage(name: string, from: string): string {
  const directory = join(from, "node_modules", name);
  if (existsSync(join(directory, "package.json"))) return realpathSync(directory);
  const parent = dirname(from);
  if (parent === from) throw new Error(`${name} is not installed`);
  return findPackage(name, parent);
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
}

/** Counts the published files of a workspace package, and all files of any other package. */
function sizeOf(directory: string): number {
  return directory.includes("node_modules") ? installedSize(directory) : packedSize(directory);
}

function packedSize(directory: string): number {
  const report = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(report) as { files: { size: number }[] }[];
  if (!packed) throw new Error(`npm pack printed nothing for ${directory}`);
  return packed.files.reduce((sum, { size }) => sum + onDisk(size), 0);
}

/** All files except those of nested packages, which count separately. */
function installedSize(directory: string): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return sum + onDisk(lstatSync(path).size);
    return entry.name === "node_modules" ? sum : sum + installedSize(path);
  }, 0);
}

function onDisk(size: number): number {
  return Math.ceil(size / blockSize) * blockSize;
}

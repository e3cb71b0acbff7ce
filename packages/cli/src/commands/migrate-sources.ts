// Finds the source files below the paths that a user names.
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";

/** More files than that are hardly the source of one server. */
const maxFiles = 10_000;
const leftOut: ReadonlySet<string> = new Set(["node_modules", "dist", "build", "coverage"]);
const isSource = (name: string) => /\.[cm]?[jt]sx?$/.test(name) && !/\.d\.[cm]?ts$/.test(name);

/** Returns absolute paths in a stable order. Throws a CommandError for a path that does not exist. */
export async function findSources(paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const path of paths) await collect(resolve(path), found);
  return [...found].sort();
}

async function collect(path: string, found: Set<string>): Promise<void> {
  const entry = await stat(path).catch((error) => {
    throw new CommandError(toFileProblem(path, error));
  });
  if (!entry.isDirectory()) return add(path, found);
  for (const child of await readdir(path, { withFileTypes: true })) {
    if (child.name.startsWith(".") || leftOut.has(child.name)) continue;
    if (child.isDirectory()) await collect(join(path, child.name), found);
    else if (child.isFile() && isSource(child.name)) add(join(path, child.name), found);
  }
}

function add(path: string, found: Set<string>): void {
  if (found.size >= maxFiles)
    throw new CommandError(`more than ${maxFiles} files: name the folder of the server's source`);
  found.add(path);
}

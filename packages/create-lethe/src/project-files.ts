// The files of a project: those of its template, those that all templates share, and its package.json.
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Tarballs } from "./lethe-tarballs.ts";
import { toManifest } from "./manifest.ts";
import { commandsOf, type PackageManager } from "./package-manager.ts";
import type { Template } from "./templates.ts";

const folder = fileURLToPath(new URL("../templates/", import.meta.url));

export interface Project {
  readonly folder: string;
  readonly template: Template;
  readonly manager: PackageManager;
  /** Packages to install from files. Undefined: from the registry. */
  readonly tarballs: Tarballs | undefined;
}

/** Maps paths in the project to contents. */
export async function toProjectFiles({
  folder: target,
  template,
  manager,
  tarballs,
}: Project): Promise<Map<string, string>> {
  const name = toPackageName(target);
  const files = new Map([["package.json", `${JSON.stringify(toManifest(name, template, tarballs), null, 2)}\n`]]);
  const values: Readonly<Record<string, string>> = { name, setup: setupSteps[manager], ...commandsOf[manager] };
  for (const part of ["shared", template]) {
    for (const path of await filesIn(join(folder, part))) {
      const text = await readFile(join(folder, part, path), "utf8");
      // npm does not pack .gitignore, so names that begin with a dot are written with an underscore.
      files.set(path.replaceAll("\\", "/").replace(/^_/, "."), fill(text, values));
    }
  }
  return files;
}

async function filesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .sort();
}

/** Replaces placeholders such as `__name__`, which the formatters of all file types leave alone. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/__([a-zA-Z]+)__/g, (whole, key: string) => values[key] ?? whole);
}

/** Steps of a CI job that provide the package manager. npm comes with Node. */
const setupSteps: Readonly<Record<PackageManager, string>> = {
  npm: "",
  pnpm: "\n      - run: npm install --global pnpm",
  yarn: "\n      - run: npm install --global yarn",
  bun: "\n      - run: npm install --global bun",
};

/** The name of a folder as a package name: lower case, and only characters that npm allows. */
export function toPackageName(path: string): string {
  const name = basename(resolve(path))
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name.slice(0, 214) || "mcp-server";
}

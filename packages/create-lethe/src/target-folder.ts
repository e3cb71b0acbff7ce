// The folder of the project. Only a new or an empty folder is accepted, so that no file is overwritten.
import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

/** Entries of an empty folder: a repository that was just cloned, and the metadata of macOS. */
const harmless = new Set([".git", ".DS_Store"]);
const shownEntries = 3;

/** Returns why a project cannot be created in the folder, or undefined. */
export function emptyFolderProblem(folder: string): string | undefined {
  let entries: string[];
  try {
    entries = readdirSync(resolve(folder)).filter((name) => !harmless.has(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return code === "ENOTDIR" ? `${folder} is a file` : `${folder} cannot be read: ${message}`;
  }
  if (entries.length === 0) return undefined;
  const more = entries.length > shownEntries ? ` and ${entries.length - shownEntries} more` : "";
  return `${folder} is not empty: it contains ${entries.slice(0, shownEntries).join(", ")}${more}`;
}

/** Rejects with UsageError. */
export async function requireEmptyFolder(folder: string): Promise<void> {
  const problem = emptyFolderProblem(folder);
  if (problem !== undefined) throw new UsageError(`${problem}; name another folder, or empty this one`);
}

/** Writes the files, by path in the folder. Resolves with the absolute path of the folder. Rejects with UsageError. */
export async function writeProject(folder: string, files: ReadonlyMap<string, string>): Promise<string> {
  await requireEmptyFolder(folder);
  const root = resolve(folder);
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      // Fails if the file was created in the meantime.
      await writeFile(join(root, path), text, { flag: "wx" });
    }
  } catch (error) {
    throw new UsageError(`the project cannot be written: ${(error as Error).message}`);
  }
  return root;
}

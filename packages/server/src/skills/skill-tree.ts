// The files below a folder of skills. Links and special files are found, but never followed.
import type { FileSystem } from "./file-system.ts";

/** A folder below the folder of skills. Paths are relative to that folder, with slashes. */
export interface TreeFolder {
  /** "" for the folder of skills itself. */
  readonly path: string;
  /** Names in alphabetical order. */
  readonly files: readonly string[];
  readonly folders: readonly TreeFolder[];
  /** Names of links and special files. */
  readonly others: readonly string[];
}

/** The maximum number of files and folders below a folder of skills. */
const maxTreeEntries = 20_000;
/** The maximum depth of folders. */
const maxTreeDepth = 16;

/** Names that begin with a dot are left out. Rejects with an Error if the folder cannot be read or has too many entries. */
export async function readTree(files: FileSystem, root: string): Promise<TreeFolder> {
  let left = maxTreeEntries;

  async function readFolder(path: string, depth: number): Promise<TreeFolder> {
    if (depth > maxTreeDepth) throw new Error(`${path}: at most ${maxTreeDepth} levels of folders expected`);
    const entries = await files.promises.readdir(path === "" ? root : `${root}/${path}`, { withFileTypes: true });
    left -= entries.length;
    if (left < 0) throw new Error(`at most ${maxTreeEntries} files and folders expected`);
    const shown = entries.filter(({ name }) => !name.startsWith(".")).sort(byName);
    const folders: TreeFolder[] = [];
    for (const entry of shown) {
      if (entry.isDirectory()) folders.push(await readFolder(join(path, entry.name), depth + 1));
    }
    const namesOf = (isWanted: (entry: (typeof shown)[number]) => boolean) =>
      shown.filter(isWanted).map(({ name }) => name);
    return {
      path,
      files: namesOf((entry) => entry.isFile()),
      folders,
      others: namesOf((entry) => !entry.isFile() && !entry.isDirectory()),
    };
  }

  return readFolder("", 0);
}

function byName({ name: one }: { name: string }, { name: other }: { name: string }): number {
  return one < other ? -1 : 1;
}

export function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folder itself and all folders below it. */
export function* foldersOf(folder: TreeFolder): Iterable<TreeFolder> {
  yield folder;
  for (const below of folder.folders) yield* foldersOf(below);
}

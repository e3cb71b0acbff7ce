// Opens a file of LMDB, whose transactions cover all processes of one machine.
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import type { RootDatabase } from "lmdb";

/** Tables of one file. */
const maxDbs = 16;

/** `what` names the store in errors. Only the owner of the process can read a new file. */
export async function openLmdb(path: string, what: string): Promise<RootDatabase> {
  const { open } = await import("lmdb").catch((cause: unknown) => {
    throw new Error(`${what} in a file needs the package "lmdb": npm install lmdb`, { cause });
  });
  const isNew = !existsSync(path);
  // Each commit waits for the disk, because a client relies on everything that it has an answer for.
  const root = open({ path, noSubdir: true, maxDbs, overlappingSync: false });
  if (isNew) await Promise.all([chmod(path, 0o600), chmod(`${path}-lock`, 0o600)]);
  return root;
}

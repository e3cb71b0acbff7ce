// Reads and replaces the settings file of a client. The content before the change stays beside it as a backup.
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandError } from "../exit-code.ts";
import { toFileProblem } from "../file-problem.ts";

export const backupOf = (file: string): string => `${file}.lethe-backup`;

/** Resolves with undefined if there is no such file. Rejects with CommandError. */
export async function readSettings(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new CommandError(toFileProblem(file, error));
  });
}

/** Replaces the file at once. `before` is its former content, or undefined if it is new. */
export async function writeSettings(file: string, before: string | undefined, after: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    // Settings may contain secrets. An empty backup means that there was no file.
    await writeFile(backupOf(file), before ?? "", { mode: 0o600 });
    await replace(file, after);
  } catch (error) {
    throw new CommandError(toFileProblem(file, error));
  }
}

/** Restores a backup, and removes it. */
export async function restoreSettings(file: string, backup: string): Promise<void> {
  try {
    if (backup === "") await rm(file, { force: true });
    else await replace(file, backup);
    await rm(backupOf(file));
  } catch (error) {
    throw new CommandError(toFileProblem(file, error));
  }
}

async function replace(file: string, text: string): Promise<void> {
  // A link, as to a folder of dotfiles, stays a link.
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    ({ mode: own }) => own & 0o777,
    () => 0o600,
  );
  const draft = `${target}.lethe-new`;
  await writeFile(draft, text, { mode });
  await rename(draft, target);
}

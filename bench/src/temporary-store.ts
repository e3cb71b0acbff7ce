// A task store in a file that always disappears with the process. Apart from the contender, so that its cold start does not load it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileTaskStore } from "@lethe/server/node";
import type { TaskStore } from "@lethe/server/stores";

/** Removes the name of the file before it returns. */
export async function openTemporaryStore(): Promise<TaskStore> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const store = await openFileTaskStore(join(folder, "tasks.lmdb"));
  rmSync(folder, { recursive: true });
  return store;
}

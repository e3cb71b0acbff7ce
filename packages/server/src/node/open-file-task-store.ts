// Opens the task store in a file. Loads it on demand, because node:crypto alone takes 4 ms to load.
import type { TaskStore } from "../tasks/task-store.ts";

/**
 * Opens a task store in a file, or creates it, readable only by the owner of the process, because it contains arguments and results
 * of calls. Requires the package `lmdb`. Its writes survive a crash of the process or the machine. Rejects if `lmdb` is not installed
 * or the file cannot be opened.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { createServer } from "@lethe/server";
 * import { openFileTaskStore } from "@lethe/server/node";
 *
 * const folder = await mkdtemp(join(tmpdir(), "tasks-"));
 * const store = await openFileTaskStore(join(folder, "tasks.mdb"));
 * const server = createServer({ name: "reports", version: "1.0.0" }, { tasks: { store } });
 * console.log(server.info.name); // reports
 * await server.close();
 * await rm(folder, { recursive: true });
 */
export async function openFileTaskStore(path: string): Promise<TaskStore> {
  const { createFileTaskStore } = await import("./file-task-store.ts");
  return createFileTaskStore(path);
}

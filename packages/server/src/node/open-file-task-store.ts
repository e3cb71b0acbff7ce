// Opens the task store in a file. Loads it on demand, because node:crypto alone takes 4 ms to load.
import type { TaskStore } from "../tasks/task-store.ts";

/**
 * Opens a task store in a file, or creates it, readable only by the owner of the process, because it contains arguments and results
 * of calls. Needs the package `lmdb`. Its writes survive a crash of the process or the machine. Rejects if the file cannot be opened.
 */
export async function openFileTaskStore(path: string): Promise<TaskStore> {
  const { createFileTaskStore } = await import("./file-task-store.ts");
  return createFileTaskStore(path);
}

// The door to tasks in a file: who does not want them does not load what they take, node:crypto alone 4 ms.
import type { TaskStore } from "../tasks/task-store.ts";

/**
 * Opens the file, or makes it, for its owner only: what callers sent and got is in it. Needs the package `lmdb`. What was
 * written survives the death of the process and of the machine. Rejects when the file cannot be opened.
 */
export async function openFileTaskStore(path: string): Promise<TaskStore> {
  const { createFileTaskStore } = await import("./file-task-store.ts");
  return createFileTaskStore(path);
}

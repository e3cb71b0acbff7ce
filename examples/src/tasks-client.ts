// Calls that become tasks: the client follows a task to its end, or stores its handle for another process.
import type { Client, TaskHandle } from "@lethe/client";
import { isTaskResult, type Task } from "@lethe/client";

/** Resolves with the result. The handlers of the client answer the input requests of the task. */
export async function importAll(client: Client, tables: string[], onTask: (task: Task) => void): Promise<string> {
  // Aborting `signal` also cancels the task.
  const result = await client.callTool("import_tables", { tables }, { onTask });
  return JSON.stringify(result.structuredContent);
}

/** Returns a handle to store, with which any process of this caller finds the task again. */
export async function beginImport(client: Client, tables: string[]): Promise<TaskHandle | undefined> {
  const result = await client.callTool("import_tables", { tables }, { manual: true });
  return isTaskResult(result) ? { taskId: result.taskId, tool: "import_tables" } : undefined;
}

export async function finishImport(client: Client, handle: TaskHandle): Promise<string> {
  const task = client.task(handle);
  const { status, statusMessage = "" } = await task.get();
  console.error(`${status} ${statusMessage}`);
  const result = await task.result();
  return JSON.stringify(result.structuredContent);
}

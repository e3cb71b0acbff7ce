// Tasks of 2026-07-28 are those of the model: the tasks extension.
import type { JsonObject } from "../../jsonrpc/message.ts";
import { type DetailedTask, isTask, type Task } from "../../model/tasks.ts";

export function toClientTask(task: Task | DetailedTask): JsonObject {
  return { ...task };
}

export function fromServerTask(value: unknown): Task | undefined {
  return isTask(value) ? value : undefined;
}

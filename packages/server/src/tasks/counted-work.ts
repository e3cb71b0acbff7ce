// Counts the arguments of live tasks in the memory budget of the process: a task outlives the request that brought them.
import { invalidParams, type MemoryHolding, overloaded, processMemory, smallBytes } from "@lethe/protocol";
import type { TaskWork } from "./stored-task.ts";

const retryAfterMs = 10_000;

export class CountedWork {
  readonly #holdings = new Map<string, MemoryHolding>();

  /** Throws a retryable McpError if the tasks in memory may not hold these arguments as well. */
  requireRoom(work: TaskWork): void {
    if (processMemory.hasRoomForCall(bytesOf(work))) return;
    throw overloaded("the tasks hold as much data as they may", retryAfterMs);
  }

  add(taskId: string, work: TaskWork): void {
    const bytes = bytesOf(work);
    if (bytes < smallBytes) return;
    const holding = processMemory.hold("calls");
    holding.set(bytes);
    this.#holdings.set(taskId, holding);
  }

  remove(taskId: string): void {
    this.#holdings.get(taskId)?.release();
    this.#holdings.delete(taskId);
  }

  clear(): void {
    for (const holding of this.#holdings.values()) holding.release();
    this.#holdings.clear();
  }
}

/** Twice: the call that runs for the task has them in the request that it sends, too. */
function bytesOf({ params }: TaskWork): number {
  try {
    return 2 * JSON.stringify(params).length;
  } catch {
    throw invalidParams("the params are nested too deep for a task");
  }
}

// Calls a tool as a task (F-2) and polls the task until it ends. The client requests a task from a server of 2025-11-25 (D-38);
// a server of 2026-07-28 decides by itself.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@lethe/client";
import { isJsonObject, type JsonObject, type Result } from "@lethe/protocol";

export interface BackgroundOptions {
  /** Time for the call and the task together. Default 10,000 ms. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

const ended: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** Returns the result of the task as text, or a note that the server answered without a task. */
export async function callInBackground(
  client: Client,
  { tool, arguments: args = {} }: { tool: string; arguments?: JsonObject },
  { timeoutMs = 10_000, signal }: BackgroundOptions,
): Promise<string> {
  const deadline = performance.now() + timeoutMs;
  let result: Result & JsonObject = {
    ...(await client.callTool(tool, args, { task: true, manual: true, timeoutMs, ...(signal && { signal }) })),
  };
  if (result.resultType !== "task") return "the call was answered in the foreground";
  const { taskId } = result;
  while (!ended.has(result.status)) {
    if (performance.now() > deadline)
      throw new Error(`the task is still ${String(result.status)} after ${timeoutMs} ms`);
    await sleep(pollMs(result), undefined, { signal });
    result = { ...(await client.request("tasks/get", { taskId }, { timeoutMs })) };
  }
  if (result.status !== "completed") throw new Error(`the task ended as ${String(result.status)}`);
  return JSON.stringify(isJsonObject(result.result) ? result.result.content : undefined) ?? "completed";
}

/** Follows the server's poll interval (F-16) between 10 ms and 1 s. */
function pollMs({ pollIntervalMs }: JsonObject): number {
  return typeof pollIntervalMs === "number" ? Math.min(Math.max(pollIntervalMs, 10), 1_000) : 100;
}

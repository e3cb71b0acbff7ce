// A call that goes on as a task (F-2): asked after until it has ended, as any client of the extension does. A server of
// 2025-11-25 is asked for one (D-38); servers of today decide by themselves.
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@lethe/client";
import { isJsonObject, type JsonObject, type Result } from "@lethe/protocol";

export interface BackgroundOptions {
  /** For the call and the task together. Default 10,000 ms. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

const ended: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** What came of it, as text: of the task, or of the call when the server made no task of it. */
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

/** As often as the server asks for (F-16), within what a person would wait. */
function pollMs({ pollIntervalMs }: JsonObject): number {
  return typeof pollIntervalMs === "number" ? Math.min(Math.max(pollIntervalMs, 10), 1_000) : 100;
}

// Runs a script over one connection and records the time and outcome of each step.
import type { CallOptions, Client } from "@lethe/client";
import type { CallToolResult, ListenFilter } from "@lethe/protocol";
import type { StepRecord } from "../record/recording.ts";
import { callInBackground } from "./call-in-background.ts";
import { createNotificationLatch } from "./notification-latch.ts";
import type { Script, Step } from "./script.ts";

export interface RunScriptOptions {
  /** Returns the milliseconds since the recording began. */
  now(): number;
  /** Time for each step. Default 10,000 ms. */
  timeoutMs?: number;
  /** Time to wait for a notification that may follow the result. Default 1,000 ms. */
  settleMs?: number;
  signal?: AbortSignal | undefined;
}

const everyList: ListenFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** A failure of the server is the outcome of its step and never rejects the promise. */
export async function runScript(client: Client, script: Script, options: RunScriptOptions): Promise<StepRecord[]> {
  const records: StepRecord[] = [];
  let tools: ReadonlySet<string> | undefined;
  for (const step of script.steps) {
    options.signal?.throwIfAborted();
    const startedAt = options.now();
    const outcome = await tryStep(step);
    records.push({ name: step.name, feature: step.feature, startedAt, endedAt: options.now(), ...outcome });
  }
  return records;

  async function tryStep(step: Step): Promise<Pick<StepRecord, "outcome" | "detail">> {
    const { tool } = step;
    try {
      if (tool === undefined || !tools) {
        const listed = await list(client, options);
        tools = listed.tools;
        if (tool === undefined) return { outcome: "done", detail: listed.detail };
      }
      if (!tools.has(tool)) return { outcome: "skipped", detail: `the server offers no tool ${tool}` };
      return { outcome: "done", detail: await call(client, { ...step, tool }, options) };
    } catch (error) {
      return { outcome: "failed", detail: error instanceof Error ? error.message : String(error) };
    }
  }
}

async function list(
  client: Client,
  { timeoutMs = 10_000 }: RunScriptOptions,
): Promise<{ tools: ReadonlySet<string>; detail: string }> {
  const has = client.server.capabilities;
  const limits = { timeoutMs };
  const tools = has.tools ? await client.listTools(limits) : [];
  const resources = has.resources ? await client.listResources(limits) : [];
  const prompts = has.prompts ? await client.listPrompts(limits) : [];
  const detail = `${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
  return { tools: new Set(tools.map(({ name }) => name)), detail };
}

async function call(client: Client, step: Step & { tool: string }, options: RunScriptOptions): Promise<string> {
  if (step.feature === "background") return callInBackground(client, step, options);
  const { timeoutMs = 10_000, settleMs = 1_000 } = options;
  const awaited = step.feature === "progress" || step.feature === "logging" || step.feature === "changes";
  const latch = createNotificationLatch();
  const subscription = step.feature === "changes" ? await client.subscribe(everyList, latch.open) : undefined;
  try {
    const result = await client.callTool(step.tool, step.arguments ?? {}, {
      timeoutMs,
      ...listeners(step, latch.open),
    });
    const text = textOf(result);
    if (result.isError) throw new Error(text);
    if (step.expects !== undefined && !text.includes(step.expects)) {
      throw new Error(`expected an answer with ${JSON.stringify(step.expects)}, got ${JSON.stringify(text)}`);
    }
    if (awaited && !(await latch.waitMs(settleMs))) throw new Error(`the call was answered, but no notification came`);
    return text;
  } finally {
    await subscription?.close();
  }
}

function listeners({ feature }: Step, onNotification: () => void): CallOptions {
  if (feature === "progress") return { onProgress: onNotification };
  return feature === "logging" ? { onLog: onNotification, logLevel: "debug" } : {};
}

export function textOf({ content, structuredContent }: CallToolResult): string {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length > 0) return texts.join("\n");
  return structuredContent === undefined ? "" : JSON.stringify(structuredContent);
}

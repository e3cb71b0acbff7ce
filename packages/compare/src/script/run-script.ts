// Runs a script over one connection and notes when each step was tried and what the client got.
import type { CallOptions, Client } from "@lethe/client";
import type { CallToolResult, ListenFilter } from "@lethe/protocol";
import type { StepRecord } from "../record/recording.ts";
import { callInBackground } from "./call-in-background.ts";
import { createNotificationLatch } from "./notification-latch.ts";
import type { Script, Step } from "./script.ts";

export interface RunScriptOptions {
  /** Milliseconds since the recording began. */
  now(): number;
  /** For each step. Default 10,000 ms. */
  timeoutMs?: number;
  /** How long to wait for a notification that may come after the result. Default 1,000 ms. */
  settleMs?: number;
  signal?: AbortSignal | undefined;
}

const everyList: ListenFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Never rejects for what the server does: that is what is measured. */
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
  const seen = createNotificationLatch();
  const subscription = step.feature === "changes" ? await client.subscribe(everyList, seen.note) : undefined;
  try {
    const result = await client.callTool(step.tool, step.arguments ?? {}, { timeoutMs, ...listeners(step, seen.note) });
    const text = textOf(result);
    if (result.isError) throw new Error(text);
    if (step.expects !== undefined && !text.includes(step.expects)) {
      throw new Error(`expected an answer with ${JSON.stringify(step.expects)}, got ${JSON.stringify(text)}`);
    }
    if (awaited && !(await seen.within(settleMs))) throw new Error(`the call was answered, but no notification came`);
    return text;
  } finally {
    await subscription?.close();
  }
}

function listeners({ feature }: Step, note: () => void): CallOptions {
  if (feature === "progress") return { onProgress: note };
  return feature === "logging" ? { onLog: note, logLevel: "debug" } : {};
}

export function textOf({ content, structuredContent }: CallToolResult): string {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (texts.length > 0) return texts.join("\n");
  return structuredContent === undefined ? "" : JSON.stringify(structuredContent);
}

// Runs a survey: tries every feature that the server declares and calls its read-only tools.
import type { Client, Subscription } from "@lethe/client";
import {
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
  taskSupportOf,
  tasksExtension,
} from "@lethe/protocol";
import type { StepRecord } from "../record/recording.ts";
import { callInBackground } from "./call-in-background.ts";
import { type Choice, chooseTools, describeSkipped } from "./choose-tools.ts";
import { createNotificationLatch } from "./notification-latch.ts";
import { type RunScriptOptions, textOf } from "./run-script.ts";
import type { Survey } from "./script.ts";
import { createStepLog, type StepLog } from "./step-log.ts";
import { tryCompletion, tryPrompts, tryResources, trySubscriptions } from "./survey-features.ts";

export interface ServerLists {
  tools: readonly Tool[];
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
  prompts: readonly Prompt[];
}

/** A failure of the server is the outcome of its step and never rejects the promise. */
export async function runSurvey(client: Client, survey: Survey, options: RunScriptOptions): Promise<StepRecord[]> {
  const log = createStepLog(options);
  const offers = await list(client, survey, { log, options });
  const choice = chooseTools(offers.tools, survey);
  if (survey.kind === "minimal") {
    await callTools(client, choice, { log, options });
    if (choice.chosen.length === 0) log.skip("call", toNoCall(offers, choice));
    return [...log.records];
  }
  await tryResources(client, offers, { log, options });
  await tryPrompts(client, offers, { log, options });
  await tryCompletion(client, offers, { log, options });
  const watched = await trySubscriptions(client, offers, { log, options });
  const startedAt = options.now();
  const changes = await watchLists(client);
  try {
    await callTools(client, choice, { log, options });
    const mayChange = changes.subscription !== undefined && choice.chosen.length > 0;
    if (mayChange) await changes.latch.waitMs(options.settleMs ?? 1_000);
  } finally {
    changes.subscription?.close();
    watched?.close();
  }
  const reason = toNothingShown(offers, choice);
  if (choice.chosen.length === 0) log.skip("call", toNoCall(offers, choice));
  for (const feature of ["sampling", "elicitation", "roots", "progress"] as const)
    log.observe(feature, startedAt, reason);
  log.observe("logging", startedAt, toLoggingReason(client, reason));
  log.observe("changes", startedAt, changes.reason ?? reason);
  await tryTasks(client, choice, { log, options, startedAt, reason });
  return [...log.records];
}

export interface StepContext {
  readonly log: StepLog;
  readonly options: RunScriptOptions;
}

async function list(client: Client, { kind }: Survey, { log, options }: StepContext): Promise<ServerLists> {
  const offers: ServerLists = { tools: [], resources: [], templates: [], prompts: [] };
  const { timeoutMs = 10_000, signal } = options;
  const limits = { timeoutMs, ...(signal && { signal }) };
  const has = client.server.capabilities;
  await log.attempt({ name: "list", feature: "list" }, async () => {
    if (has.tools) offers.tools = await client.listTools(limits);
    if (kind === "minimal") return `${offers.tools.length} tools`;
    if (has.resources) {
      offers.resources = await client.listResources(limits);
      offers.templates = await client.listResourceTemplates(limits);
    }
    if (has.prompts) offers.prompts = await client.listPrompts(limits);
    const { tools, resources, prompts } = offers;
    return `${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
  });
  return offers;
}

async function callTools(client: Client, { chosen }: Choice, { log, options }: StepContext): Promise<void> {
  const { timeoutMs = 10_000, signal } = options;
  const ignore = (): void => {};
  for (const { tool, arguments: args } of chosen) {
    await log.attempt({ name: `call ${tool.name}`, feature: "call", tool: tool.name }, async () => {
      const result = await client.callTool(tool.name, args, {
        ...{ timeoutMs, maxTotalMs: timeoutMs, onProgress: ignore, onLog: ignore, logLevel: "debug" },
        ...(signal && { signal }),
      });
      const text = textOf(result);
      if (result.isError) throw new Error(text);
      return text;
    });
  }
}

interface Watch {
  readonly subscription?: Subscription;
  readonly latch: ReturnType<typeof createNotificationLatch>;
  /** Why no change notification was requested. */
  readonly reason?: string;
}

async function watchLists(client: Client): Promise<Watch> {
  const { tools, prompts, resources } = client.server.capabilities;
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  const latch = createNotificationLatch();
  if (Object.keys(filter).length === 0) {
    return { latch, reason: "the server declares no listChanged capability, so none was requested" };
  }
  try {
    return { latch, subscription: await client.subscribe(filter, latch.open) };
  } catch (error) {
    return { latch, reason: `the server declares listChanged, but refused: ${(error as Error).message}` };
  }
}

/** A server of 2026-07-28 decides which call becomes a task. The client requests a task from a server of 2025-11-25. */
async function tryTasks(
  client: Client,
  { chosen }: Choice,
  { log, options, startedAt, reason }: StepContext & { startedAt: number; reason: string },
): Promise<void> {
  if (!client.connection.traits.hasHandshake) {
    const isDeclared = client.server.capabilities.extensions?.[tasksExtension] !== undefined;
    const undeclared = "the server declares no tasks extension, so no call can become a task";
    log.observe("background", startedAt, isDeclared ? `no call became a task; ${reason}` : undeclared);
    return;
  }
  const taskTool = chosen.find(({ tool }) => taskSupportOf(tool) !== undefined);
  if (!taskTool)
    return log.skip(
      "background",
      `no tool that was called declares execution.taskSupport, so no task was requested; ${reason}`,
    );
  const call = { tool: taskTool.tool.name, arguments: taskTool.arguments };
  await log.attempt({ name: `task ${taskTool.tool.name}`, feature: "background" }, () =>
    callInBackground(client, call, options),
  );
}

function toNoCall({ tools }: ServerLists, { skipped }: Choice): string {
  return tools.length === 0 && skipped.size === 0
    ? "the server lists no tools"
    : `no tool was called: ${describeSkipped(skipped)}`;
}

/** The reason for a feature that no tool call has shown. */
function toNothingShown(offers: ServerLists, choice: Choice): string {
  const { chosen, skipped } = choice;
  if (chosen.length === 0) return toNoCall(offers, choice);
  const called = chosen.length === 1 ? "1 tool was called" : `${chosen.length} tools were called`;
  return skipped.size === 0 ? called : `${called}; not called: ${describeSkipped(skipped)}`;
}

function toLoggingReason(client: Client, reason: string): string {
  const isDeclared = client.server.capabilities.logging !== undefined;
  return isDeclared ? reason : `the server declares no logging capability, so no log level was requested; ${reason}`;
}

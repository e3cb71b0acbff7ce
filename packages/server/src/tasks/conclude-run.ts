// Stores the outcome of a run: its end, its input requests, its sleep, or that it runs again.
import { type InputRequests, isInputRequired, McpError, refusalOf, toErrorObject } from "@lethe/protocol";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { HeldRun } from "./held-run.ts";
import type { TaskMeter } from "./task-meter.ts";
import { isOwnEnd, type Outcome, toTaskEnd } from "./task-outcome.ts";
import type { TaskRun } from "./task-run.ts";
import type { TaskSettings } from "./task-settings.ts";
import { asking, ended, pausing, received, retrying, sleeping, type TaskEnd } from "./task-state.ts";

export interface ConclusionHost {
  readonly settings: TaskSettings;
  readonly meter: TaskMeter;
  readonly isClosed: boolean;
  onError(error: unknown): void;
  /** Acquires a waiting task after `delayMs`, if this process has room. */
  claimAfter(taskId: string, delayMs: number): void;
}

interface Ending {
  readonly run: TaskRun;
  readonly ending: Outcome;
  readonly policy: TaskPolicy;
}

/** The pause before a handler that returned only a state runs again, in ms. */
const pauseMs = 250;
/** The longest pause before a handler that failed with a retryable error runs again, in ms. */
const maxRetryDelayMs = 300_000;

export async function concludeRun(host: ConclusionHost, held: HeldRun, { run, ending, policy }: Ending): Promise<void> {
  const { result } = ending;
  if (host.isClosed && !isOwnEnd(ending)) return;
  if (result && isInputRequired(result)) return suspend(host, held, { run, inputRequests: result.inputRequests });
  if (await retry(host, held, { ending, policy })) return;
  const end = endOf(host, ending);
  const { keepMs } = host.settings;
  const saved = await held.write((task, now) => ended(task, end, { now, keepMs }));
  if (saved && end.status === "failed") host.meter.failed("error");
}

function endOf(host: ConclusionHost, ending: Outcome): TaskEnd {
  try {
    return toTaskEnd(ending, host.settings.maxResultBytes);
  } catch (error) {
    // A result that is not JSON.
    host.onError(error);
    return { status: "failed", error: toErrorObject(McpError.from(error)) };
  }
}

/** True when the handler failed with a retryable error and will run again. */
async function retry(
  host: ConclusionHost,
  held: HeldRun,
  { ending, policy }: Pick<Ending, "ending" | "policy">,
): Promise<boolean> {
  const { attempts = 1 } = policy;
  const { error } = ending;
  const refusal = error && refusalOf(error);
  if (!refusal || attempts <= 1) return false;
  let delayMs = 0;
  const saved = await held.write((task, now) => {
    const failures = (task.rounds?.failures ?? 0) + 1;
    delayMs = Math.min(Math.max(refusal.retryAfterMs, 1_000 * 2 ** (failures - 1)), maxRetryDelayMs);
    return failures < attempts ? retrying(task, error.message, { now, delayMs }) : undefined;
  });
  if (saved) host.claimAfter(held.taskId, delayMs);
  return saved !== undefined;
}

async function suspend(
  host: ConclusionHost,
  held: HeldRun,
  { run, inputRequests = {} }: { run: TaskRun; inputRequests: InputRequests | undefined },
): Promise<void> {
  const { suspended } = run;
  if (!suspended) throw new Error("a task was suspended without a journal");
  const { entries, ...journal } = suspended;
  const { sleeps } = run;
  if (Object.keys(inputRequests).length > 0) {
    await held.write((task, now) => asking(received(task, entries), journal, inputRequests, { now, sleeps }));
    return;
  }
  if (Object.keys(sleeps).length > 0) {
    await held.write((task, now) => sleeping(received(task, entries), journal, { now, sleeps }));
    return;
  }
  const saved = await held.write((task, now) => pausing(received(task, entries), journal, { now, delayMs: pauseMs }));
  if (saved) host.claimAfter(held.taskId, pauseMs);
}

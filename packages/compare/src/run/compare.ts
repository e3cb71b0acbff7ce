// compare() runs one script over each transport in turn, so that concurrent runs do not distort the times.

import { readEnvironment } from "@lethe/probe/html";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { firstResultMsOf } from "../record/first-result.ts";
import type { Recording } from "../record/recording.ts";
import { demoScript, surveyScript, warmUpScript } from "../script/built-in-scripts.ts";
import type { Plan } from "../script/script.ts";
import type { Comparison } from "./comparison.ts";
import { demoTransports } from "./demo-transports.ts";
import { type NamedTarget, toNamed } from "./named-targets.ts";
import { type RecordedTarget, recordTarget } from "./record-target.ts";
import { type RecordTransportOptions, recordTransport, startTimeoutOf } from "./record-transport.ts";
import type { Target } from "./target-transports.ts";
import type { Transport } from "./transport.ts";

/** Options of `compare`. Times are in ms. */
export interface CompareOptions extends Partial<RecordTransportOptions> {
  /**
   * How often the script runs over each transport. The report shows the median and the range of the times, and everything else of the
   * first run. Default 1.
   */
  runs?: number;
  /** Called with the title of the next transport, and before the target is probed. */
  onProgress?(title: string): void;
}

const knownCompareOptions: KnownOptions<CompareOptions> = {
  onProgress: true,
  runs: true,
  script: true,
  timeoutMs: true,
  connectTimeoutMs: true,
  startTimeoutMs: true,
  settleMs: true,
  secrets: true,
  signal: true,
};

/**
 * Records a target over each of its transports. Without a target, records the built-in demonstration server. Several named
 * targets, such as configurations of one server, share one comparison. The result also lists unavailable transports.
 */
export async function compare(
  target: Target | readonly NamedTarget[] | undefined,
  options: CompareOptions = {},
): Promise<Comparison> {
  checkOptions("compare", options, knownCompareOptions);
  const { onProgress, signal, secrets, connectTimeoutMs = 10_000, runs = 1 } = options;
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`compare: runs: a whole number from 1 expected, got ${runs}`);
  const startTimeoutMs = startTimeoutOf(options);
  const script = options.script ?? (target ? surveyScript : demoScript);
  const base = { version: 1, script: script.name, runs, environment: readEnvironment() } as const;
  await warmUp();
  const record = (transport: Transport): Promise<Recording> => {
    signal?.throwIfAborted();
    onProgress?.(transport.title);
    return recordRuns(transport, { ...options, script }, runs);
  };
  if (!target) return { ...base, recordings: await recordDemo(record) };
  const onProbe = (address: string) => onProgress?.(`probing ${address}`);
  const limits = { record, connectTimeoutMs, startTimeoutMs, secrets, signal, onProbe };
  if (!isList(target)) return { ...base, ...(await recordTarget(target, limits)) };
  const recorded: RecordedTarget[] = [];
  for (const [index, { name, target: one }] of target.entries()) {
    recorded.push(toNamed(await recordTarget(one, limits), name, index));
  }
  return {
    ...base,
    recordings: recorded.flatMap(({ recordings }) => recordings),
    unavailable: recorded.flatMap(({ unavailable }) => unavailable),
    probes: recorded.flatMap(({ probes }) => probes),
  };
}

/** Further runs end with the first tool call: only its time is used. */
async function recordRuns(transport: Transport, options: RecordTransportOptions, runs: number): Promise<Recording> {
  const recording = await recordTransport(transport, options);
  const { script } = options;
  if (runs === 1 || firstResultMsOf(recording) === undefined) return recording;
  const repeatedFirstResultMs: number[] = [];
  for (let run = 1; run < runs; run += 1) {
    options.signal?.throwIfAborted();
    const time = firstResultMsOf(await recordTransport(transport, { ...options, script: untilFirstCall(script) }));
    if (time !== undefined) repeatedFirstResultMs.push(time);
  }
  return { ...recording, repeatedFirstResultMs };
}

/** A survey plans its steps while it runs, so it runs whole. */
function untilFirstCall(plan: Plan): Plan {
  if ("kind" in plan) return plan;
  const first = plan.steps.findIndex(({ feature }) => feature === "call");
  return { ...plan, steps: plan.steps.slice(0, first + 1) };
}

function isList(target: Target | readonly NamedTarget[]): target is readonly NamedTarget[] {
  return Array.isArray(target);
}

async function recordDemo(record: (transport: Transport) => Promise<Recording>): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const open of demoTransports) {
    const { transport, close } = await open();
    try {
      recordings.push(await record(transport));
    } finally {
      await close();
    }
  }
  return recordings;
}

/** Runs the code once. Otherwise the first transport would be charged for loading it. */
async function warmUp(): Promise<void> {
  for (const open of demoTransports) {
    const { transport, close } = await open();
    if (transport.kind !== "stdio") await recordTransport(transport, { script: warmUpScript });
    await close();
  }
}

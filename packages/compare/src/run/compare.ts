// compare() runs one script over each transport in turn, so that concurrent runs do not distort the times.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { Recording } from "../record/recording.ts";
import { demoScript, surveyScript, warmUpScript } from "../script/built-in-scripts.ts";
import type { Comparison } from "./comparison.ts";
import { demoTransports } from "./demo-transports.ts";
import { type NamedTarget, toNamed } from "./named-targets.ts";
import { type RecordedTarget, recordTarget } from "./record-target.ts";
import { type RecordTransportOptions, recordTransport, startTimeoutOf } from "./record-transport.ts";
import type { Target } from "./target-transports.ts";
import type { Transport } from "./transport.ts";

/** Options of `compare`. Times are in ms. */
export interface CompareOptions extends Partial<RecordTransportOptions> {
  /** Called with the title of the next transport, and before the target is probed. */
  onProgress?(title: string): void;
}

const knownCompareOptions: KnownOptions<CompareOptions> = {
  onProgress: true,
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
  const { onProgress, signal, secrets, connectTimeoutMs = 10_000 } = options;
  const startTimeoutMs = startTimeoutOf(options);
  const script = options.script ?? (target ? surveyScript : demoScript);
  const base = { version: 1, script: script.name } as const;
  await warmUp();
  const record = (transport: Transport): Promise<Recording> => {
    signal?.throwIfAborted();
    onProgress?.(transport.title);
    return recordTransport(transport, { ...options, script });
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

// compare(): one script over every transport, one after the other, so that none disturbs the times of another.
import type { Recording } from "../record/recording.ts";
import { demoScript, surveyScript, warmUpScript } from "../script/built-in-scripts.ts";
import type { Comparison } from "./comparison.ts";
import { demoTransports } from "./demo-transports.ts";
import { type NamedTarget, toNamed } from "./named-targets.ts";
import { type RecordedTarget, recordTarget } from "./record-target.ts";
import { type RecordTransportOptions, recordTransport, startTimeoutOf } from "./record-transport.ts";
import type { Target } from "./target-transports.ts";
import type { Transport } from "./transport.ts";

export interface CompareOptions extends Partial<RecordTransportOptions> {
  /** Hears which transport is taken next, or that the target is asked what it is. */
  onProgress?(title: string): void;
}

/**
 * Without a target: the demonstration server. With several named targets, such as configurations of one server: one comparison
 * of them all, recorded one after the other. A transport that a server does not have is part of the result.
 */
export async function compare(
  target: Target | readonly NamedTarget[] | undefined,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { onProgress, signal, secrets, connectTimeoutMs = 10_000 } = options;
  const startTimeoutMs = startTimeoutOf(options);
  const script = options.script ?? (target ? surveyScript : demoScript);
  const base = { version: 1, script: script.name } as const;
  await warmUp();
  const take = (transport: Transport): Promise<Recording> => {
    signal?.throwIfAborted();
    onProgress?.(transport.title);
    return recordTransport(transport, { ...options, script });
  };
  if (!target) return { ...base, recordings: await recordDemo(take) };
  const onProbe = (address: string) => onProgress?.(`asking what is at ${address}`);
  const limits = { take, connectTimeoutMs, startTimeoutMs, secrets, signal, onProbe };
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

async function recordDemo(take: (transport: Transport) => Promise<Recording>): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const open of demoTransports) {
    const { transport, close } = await open();
    try {
      recordings.push(await take(transport));
    } finally {
      await close();
    }
  }
  return recordings;
}

/** Code that has run before is faster: without this, the first transport would pay for all others. */
async function warmUp(): Promise<void> {
  for (const open of demoTransports) {
    const { transport, close } = await open();
    if (transport.kind !== "stdio") await recordTransport(transport, { script: warmUpScript });
    await close();
  }
}

// compare(): one script over every way, one after the other, so that none disturbs the times of another.
import type { Recording } from "../record/recording.ts";
import { demoScript, surveyScript, warmUpScript } from "../script/default-script.ts";
import type { Comparison } from "./comparison.ts";
import { demoWays } from "./demo-ways.ts";
import { type RecordedTarget, recordTarget } from "./record-target.ts";
import { type RecordWayOptions, recordWay, startTimeoutOf } from "./record-way.ts";
import { type NamedTarget, toNamed } from "./several-targets.ts";
import type { Target } from "./target-ways.ts";
import type { Way } from "./way.ts";

export interface CompareOptions extends Partial<RecordWayOptions> {
  /** Hears which way is taken next, or that the target is asked what it is. */
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
  const take = (way: Way): Promise<Recording> => {
    signal?.throwIfAborted();
    onProgress?.(way.title);
    return recordWay(way, { ...options, script });
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
    absent: recorded.flatMap(({ absent }) => absent),
    probes: recorded.flatMap(({ probes }) => probes),
  };
}

function isList(target: Target | readonly NamedTarget[]): target is readonly NamedTarget[] {
  return Array.isArray(target);
}

async function recordDemo(take: (way: Way) => Promise<Recording>): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const open of demoWays) {
    const { way, close } = await open();
    try {
      recordings.push(await take(way));
    } finally {
      await close();
    }
  }
  return recordings;
}

/** Code that has run before is faster: without this, the first way would pay for all others. */
async function warmUp(): Promise<void> {
  for (const open of demoWays) {
    const { way, close } = await open();
    if (way.kind === "http") await recordWay(way, { script: warmUpScript });
    await close();
  }
}

// compare(): one script over every way, one after the other, so that none disturbs the times of another.
import type { Recording } from "../record/recording.ts";
import { carefulScript, demoScript } from "../script/default-script.ts";
import type { Script } from "../script/script.ts";
import type { Comparison } from "./comparison.ts";
import { demoWays } from "./demo-ways.ts";
import { type RecordWayOptions, recordWay } from "./record-way.ts";
import { type Target, toWays } from "./target-ways.ts";

export interface CompareOptions extends Partial<RecordWayOptions> {
  /** Hears which way is taken next. */
  onProgress?(title: string): void;
}

/** Without a target: the demonstration server. A way that the server does not have is part of the result. */
export async function compare(target: Target | undefined, options: CompareOptions = {}): Promise<Comparison> {
  const { onProgress, ...others } = options;
  const script = options.script ?? (target ? carefulScript : demoScript);
  const recordings: Recording[] = [];
  await warmUp();
  const openers = target ? toWays(target).map((way) => async () => ({ way, close: async () => {} })) : demoWays;
  for (const open of openers) {
    options.signal?.throwIfAborted();
    const { way, close } = await open();
    onProgress?.(way.title);
    try {
      recordings.push(await recordWay(way, { ...others, script }));
    } finally {
      await close();
    }
  }
  return toComparison(script, recordings);
}

/** Code that has run before is faster: without this, the first way would pay for all others. */
async function warmUp(): Promise<void> {
  for (const open of demoWays) {
    const { way, close } = await open();
    if (way.kind === "http") await recordWay(way, { script: carefulScript });
    await close();
  }
}

function toComparison(script: Script, recordings: readonly Recording[]): Comparison {
  return { version: 1, script: script.name, recordings };
}

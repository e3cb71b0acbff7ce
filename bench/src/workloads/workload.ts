// The interface of a workload, and the rotation of contenders that all workloads share.
import type { Contender } from "../contenders.ts";
import type { LoadResult } from "../load/http-load.ts";
import type { Cores } from "../measure/cores.ts";
import type { Row, Section } from "../measure/section.ts";
import type { Sample } from "../measure/statistics.ts";

export interface Plan {
  contenders: readonly Contender[];
  rounds: number;
  /** Length of one measurement. */
  seconds: number;
  cores: Cores;
  /** Reports the current step. */
  progress: (doing: string) => void;
}

export interface Workload {
  id: string;
  /** --quick skips the workload if false. */
  isMain: boolean;
  run(plan: Plan): Promise<Section>;
}

/** A started contender, which can be measured repeatedly. */
export interface Ready {
  measure(): Promise<Sample>;
  stop(): Promise<void>;
}

/** Requests after which a process counts as warm. */
const warmCount = 2000;
/** Time limit of one step of a contender. */
const limitMs = 60_000;

/** For workloads that start a process in each measurement. */
export function readyAtOnce(measure: () => Promise<Sample>): Ready {
  return { measure, stop: async () => {} };
}

/** Loads a new process until the compiler has optimized its code: at least once, at most four times. */
export async function warmUp(
  run: (seconds: number) => Promise<LoadResult>,
  seconds: number,
  enough = warmCount,
): Promise<void> {
  let count = 0;
  for (let times = 0; times < 4 && count < enough; times += 1) count += (await run(seconds)).count;
}

/** Starts every contender, then measures each once per round in varying order. A failed contender leaves the rotation. */
export async function takeTurns<C extends { name: string }>(
  plan: Plan,
  contenders: readonly C[],
  prepare: (contender: C) => Promise<Ready>,
): Promise<Row[]> {
  const entries = contenders.map((contender) => ({
    contender,
    samples: [] as Sample[],
    failure: "",
    ready: undefined as Ready | undefined,
  }));

  async function attempt(entry: (typeof entries)[number], doing: string, work: () => Promise<void>): Promise<void> {
    if (entry.failure) return;
    plan.progress(`${entry.contender.name}: ${doing}`);
    try {
      await withLimit(work());
    } catch (error) {
      entry.failure = String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, " ");
      const { ready } = entry;
      entry.ready = undefined;
      await ready?.stop();
    }
  }

  for (const entry of entries) {
    await attempt(entry, "start", async () => {
      entry.ready = await prepare(entry.contender);
    });
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    const first = round % Math.max(1, entries.length);
    for (const entry of [...entries.slice(first), ...entries.slice(0, first)]) {
      await attempt(entry, `round ${round + 1} of ${plan.rounds}`, async () => {
        if (entry.ready) entry.samples.push(await entry.ready.measure());
      });
    }
  }
  await Promise.all(entries.map((entry) => entry.ready?.stop()));
  return entries.map(({ contender, samples, failure }) => ({
    contender: contender.name,
    samples,
    ...(failure ? { failure } : {}),
  }));
}

async function withLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

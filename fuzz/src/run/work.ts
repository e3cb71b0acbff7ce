// Runs one target in this process: rounds until the time is over, and measurements between them.
import { createRandom } from "../input/random.ts";
import { growthOf } from "./growth.ts";
import type { Health } from "./health.ts";
import type { Attack, Failure, Tally, Target } from "./target.ts";

export interface Work {
  readonly seed: string;
  readonly ms: number;
  /** Runs only this round. */
  readonly round?: number | undefined;
  /** Called before each round, with the number of inputs so far. */
  onRound(round: number, inputs: number): void;
  /** Called before each input when the work traces a crash. */
  onInput?(input: unknown): void;
  onFailure(failure: Failure, round: number): void;
}

export interface WorkResult {
  readonly inputs: number;
  readonly rounds: number;
  readonly first: Health;
  readonly last: Health;
  readonly peakRssBytes: number;
  readonly maxBusyMs: number;
  readonly maxDelayMs: number;
}

/** Enough measurements to distinguish growth from noise at a low cost. */
const measurements = 16;
/** The minimum interval of measurements. Growth detection requires at least eight of them. */
const leastApartMs = 200;
const mib = 1024 * 1024;

export async function work(target: Target, options: Work): Promise<WorkResult> {
  const attack = await target.start();
  try {
    return await attackFor(target, attack, options);
  } finally {
    await attack.close();
  }
}

async function attackFor(target: Target, attack: Attack, options: Work): Promise<WorkResult> {
  const { seed, ms, onRound, onInput, onFailure } = options;
  let inputs = 0;
  let round = options.round ?? 0;
  const tally: Tally = {
    input(input) {
      inputs += 1;
      onInput?.(input);
    },
    inputs(count) {
      inputs += count;
    },
    fail: (failure) => onFailure(failure, round),
  };
  const first = await attack.health();
  const seen: Health[] = [];
  const startedAt = performance.now();
  const isOver = (): boolean => performance.now() - startedAt >= ms || options.round !== undefined;
  do {
    onRound(round, inputs);
    await attack.round(createRandom(`${seed}/${target.name}/${round}`), tally, round);
    round += 1;
    const elapsed = performance.now() - startedAt;
    const due = Math.floor(elapsed / Math.max(ms / measurements, leastApartMs));
    if (due > seen.length || isOver()) seen.push(await measure(target, attack, tally));
  } while (!isOver());
  const grown = growthOf(seen.map(({ heapBytes }) => heapBytes));
  const { allowedGrowthBytes = 8 * mib } = target;
  if (grown > allowedGrowthBytes) {
    tally.fail({ kind: "memory", detail: `the heap has grown by ${toMib(grown)} MiB after the warm-up` });
  }
  const most = (read: (health: Health) => number): number => Math.max(...seen.map(read));
  return {
    inputs,
    rounds: round - (options.round ?? 0),
    first,
    last: seen.at(-1) ?? first,
    peakRssBytes: most(({ rssBytes }) => rssBytes),
    maxBusyMs: most(({ busyMs }) => busyMs),
    maxDelayMs: most(({ delayMs }) => delayMs),
  };
}

async function measure(target: Target, attack: Attack, tally: Tally): Promise<Health> {
  const health = await attack.health();
  const { maxBusyMs = 1_000 } = target;
  if (health.busyMs > maxBusyMs) {
    const detail = `one turn of the event loop took ${Math.round(health.busyMs)} ms of CPU time, at most ${maxBusyMs} expected`;
    tally.fail({ kind: "delay", detail });
  }
  return health;
}

function toMib(bytes: number): string {
  return (bytes / mib).toFixed(1);
}

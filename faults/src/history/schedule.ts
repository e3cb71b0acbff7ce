// The faults of a history, which its seed determines: one or two at a time, and a calm time after each.
import { createRandom } from "./random.ts";

export const faultKinds = [
  "kill",
  "term",
  "freeze",
  "cut",
  "redis-kill",
  "redis-freeze",
  "redis-full",
  "flush",
  "nginx",
  "upstream",
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** The replica, for faults of one. */
  readonly replica: number;
  /** How long the fault lasts. */
  readonly ms: number;
}

export interface Step {
  readonly faults: readonly PlannedFault[];
  /** Time without a new fault after the step. */
  readonly calmMs: number;
}

/** The longest duration of each kind, in ms. */
const longest: Readonly<Record<FaultKind, number>> = {
  kill: 5_000,
  term: 2_000,
  freeze: 12_000,
  cut: 15_000,
  "redis-kill": 8_000,
  "redis-freeze": 12_000,
  "redis-full": 10_000,
  flush: 0,
  nginx: 0,
  upstream: 1_000,
};

const replicas = 3;

/** Returns steps whose durations add up to `ms`, or little more. */
export function planSchedule(seed: number, ms: number): Step[] {
  const random = createRandom(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const plan = (without: readonly PlannedFault[]): PlannedFault => {
    const kinds = faultKinds.filter((kind) => !without.some((other) => isClash(kind, other.kind)));
    const kind = kinds[pick(kinds.length)] ?? "flush";
    const free = Array.from({ length: replicas }, (_, index) => index).filter(
      (index) => !without.some(({ replica }) => replica === index),
    );
    return { kind, replica: free[pick(free.length)] ?? 0, ms: Math.round(longest[kind] * (0.2 + 0.8 * random())) };
  };
  const steps: Step[] = [];
  for (let planned = 0; planned < ms; ) {
    const first = plan([]);
    const faults = random() < 0.3 ? [first, plan([first])] : [first];
    const step = { faults, calmMs: 3_000 + pick(5_000) };
    steps.push(step);
    planned += Math.max(...faults.map((fault) => fault.ms)) + step.calmMs;
  }
  return steps;
}

/** Two faults of Redis, or two of one kind, do not run at the same time. */
function isClash(one: FaultKind, other: FaultKind): boolean {
  const isRedis = (kind: FaultKind) => kind.startsWith("redis") || kind === "flush";
  return one === other || (isRedis(one) && isRedis(other));
}

/** `kill replica 1 3.2 s + flush` */
export function showStep({ faults }: Step): string {
  return faults.map(showFault).join(" + ");
}

export function showFault({ kind, replica, ms }: PlannedFault): string {
  const where = ["kill", "term", "freeze", "cut"].includes(kind) ? ` replica ${replica}` : "";
  return `${kind}${where}${ms > 0 ? ` ${(ms / 1_000).toFixed(1)} s` : ""}`;
}

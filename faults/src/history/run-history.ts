// Runs random faults under load, and checks the recorded history.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { checkHistory, type Violation } from "../check/check-history.ts";
import type { CallRecord, RunRecord, Span } from "../check/records.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { Sighting } from "../fleet/observer.ts";
import type { Caller } from "../load/caller.ts";
import { nameCallers, startClosedLoop } from "../load/closed-loop.ts";
import { type Measures, measure } from "../table/measure.ts";
import { inject } from "./inject.ts";
import { createRandom } from "./random.ts";
import { planSchedule, type Step, showFault, showStep } from "./schedule.ts";

export interface HistoryOptions {
  readonly clone: string;
  readonly seed: number;
  readonly ms: number;
}

export interface HistoryReport {
  readonly seed: number;
  readonly ms: number;
  /** Each fault with its real times. */
  readonly faults: readonly Span[];
  readonly measures: Measures;
  /** Calls by tool and outcome, such as `ask ok`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly sightings: readonly Sighting[];
  readonly calls: readonly CallRecord[];
  readonly runs: readonly RunRecord[];
  /** The longest time that a replica needed to say that it is ready, in ms. 0 below a second. */
  readonly longestStallMs: number;
  readonly load: number;
}

const callers = nameCallers(20);
/** Longer than any wait of the gateway: the longest is that of a call behind one that may ask, 60 s (`turnWaitMs`). */
const timeoutMs = 90_000;
/** A call with its question, or a task with its polls. */
const limitMs = 240_000;
const recoveryMs = 20_000;
/** Calls of each session after the load has ended, until one is ok. */
const maxRecoveries = 30;
/** After a process with connections to clients or to nginx was killed, replies may be missing for this time. */
const cutMs = 1_000;
const cutting: ReadonlySet<string> = new Set(["kill", "nginx"]);
/** Faults in which Redis forgets the owners of sessions, and faults in which an owner is lost. */
const forgetting: ReadonlySet<string> = new Set(["flush", "redis-kill"]);
const losing: ReadonlySet<string> = new Set(["kill", "term", "freeze", "cut"]);
const blindMs = 15_000;

export async function runHistory({ clone, seed, ms }: HistoryOptions): Promise<HistoryReport> {
  const fleet = await Fleet.start({ clone, callers, proxy: "each" });
  try {
    const random = createRandom(seed + 1);
    const step = (caller: Caller, upstream: string) => takeStep(caller, upstream, random);
    const loop = startClosedLoop(fleet, { callers, timeoutMs, random, step });
    await loop.warm;
    const cuts: Span[] = [];
    const blinds: Span[] = [];
    const faults = await injectAll(fleet, { seed, ms, cuts, blinds });
    await sleep(recoveryMs);
    await loop.stop();
    await loop.recover(maxRecoveries);
    const runs = fleet.runs;
    const leftovers = await fleet.close();
    const { calls } = loop;
    const { sightings, stalls } = fleet.observer;
    const excused = [...cuts, ...stalls];
    const violations = checkHistory({ calls, runs, cuts: excused, blinds, leftovers, limitMs, isRecovered: true });
    return {
      ...{ seed, ms, faults, violations, calls, runs, load: loadavg()[0] ?? 0 },
      measures: measure(calls, runs, 0, 0),
      outcomes: countOutcomes(calls),
      sightings,
      longestStallMs: Math.max(0, ...stalls.map(({ begin, end }) => end - begin)),
    };
  } finally {
    await fleet.close();
  }
}

/** Most calls are short. Some ask a question, and some continue as a task. */
function takeStep(caller: Caller, upstream: string, random: () => number): Promise<CallRecord> {
  const chance = random();
  if (chance < 0.15) return caller.ask(upstream, 50 + random() * 3_000);
  if (chance < 0.25) return caller.task(upstream, 1_500 + Math.round(random() * 4_000));
  return caller.count(upstream);
}

async function injectAll(
  fleet: Fleet,
  { seed, ms, cuts, blinds }: { seed: number; ms: number; cuts: Span[]; blinds: Span[] },
): Promise<Span[]> {
  const spans: Span[] = [];
  const end = fleet.now() + ms;
  for (const step of planSchedule(seed, ms)) {
    if (fleet.now() >= end) break;
    console.error(`${(fleet.now() / 1_000).toFixed(1)} s: ${showStep(step)}`);
    const begin = fleet.now();
    await Promise.all(
      step.faults.map(async (fault) => {
        const begin = fleet.now();
        if (cutting.has(fault.kind)) cuts.push({ name: fault.kind, begin, end: begin + cutMs });
        await inject(fleet, fault);
        const span = { name: showFault(fault), begin, end: fleet.now() };
        spans.push(span);
        // The load balancer gives up calls of a frozen replica.
        if (fault.kind === "freeze") cuts.push({ ...span, end: span.end + cutMs });
      }),
    );
    if (isBlind(step)) blinds.push({ name: showStep(step), begin, end: fleet.now() + blindMs });
    await sleep(step.calmMs);
  }
  return spans;
}

function isBlind({ faults }: Step): boolean {
  return faults.some(({ kind }) => forgetting.has(kind)) && faults.some(({ kind }) => losing.has(kind));
}

function countOutcomes(calls: readonly CallRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { tool, outcome } of calls) counts[`${tool} ${outcome}`] = (counts[`${tool} ${outcome}`] ?? 0) + 1;
  return counts;
}

// Runs one fault against a fresh fleet under load, and measures what callers and operators saw.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { checkHistory, type Violation } from "../check/check-history.ts";
import type { CallRecord } from "../check/records.ts";
import { type Balancer, Fleet } from "../fleet/fleet.ts";
import type { Sighting } from "../fleet/observer.ts";
import { nameCallers, startClosedLoop } from "../load/closed-loop.ts";
import { parkedCaller } from "../load/parked-work.ts";
import type { Fault } from "./faults.ts";
import { type Measures, measure } from "./measure.ts";

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly skipped?: string;
  /** True if the run itself failed. */
  readonly isBroken?: boolean;
  readonly measures?: Measures;
  /** What replicas showed from the fault on: times are in ms after the fault. */
  readonly sightings?: readonly Sighting[];
  readonly notes?: readonly string[];
  readonly violations?: readonly Violation[];
  readonly load?: number;
  /** All calls of the run: times are in ms after the fault. */
  readonly calls?: readonly CallRecord[];
}

const callers = nameCallers(10);
const beforeMs = 2_000;
const afterSeconds = 12;
const warmLimitMs = 120_000;
const timeoutMs = 60_000;
/** Calls of each session after the load has ended, until one is ok. */
const maxRecoveries = 30;

export async function runRow(fault: Fault, clone: string, balancer: Balancer): Promise<Row> {
  const { name, title, plan, missing, before, after = afterSeconds, run } = fault;
  const skipped = missing?.();
  if (skipped !== undefined) return { name, title, skipped };
  const fleet = await Fleet.start({ clone, balancer, callers: [...callers, parkedCaller], ...plan });
  const notes: string[] = [];
  try {
    const step = (caller: { count(upstream: string): Promise<CallRecord> }, upstream: string) => caller.count(upstream);
    const loop = startClosedLoop(fleet, { callers, timeoutMs, random: Math.random, step });
    await within(warmLimitMs, loop.warm);
    const parked = await before?.(fleet);
    await sleep(beforeMs);
    const faultAt = fleet.now();
    await run(fleet, (text) => notes.push(text));
    const overAt = fleet.now();
    await sleep(after * 1_000);
    await loop.stop();
    await loop.recover(maxRecoveries);
    for (const call of (await parked?.calls) ?? []) notes.push(`${call.tool}: ${call.outcome} ${call.reason ?? ""}`);
    const runs = fleet.runs;
    const measures = measure(loop.calls, runs, faultAt - beforeMs, faultAt);
    const sightings = fleet.observer.sightings.flatMap(({ at, ...rest }) =>
      at < faultAt ? [] : [{ ...rest, at: at - faultAt }],
    );
    const cuts = fault.cutsClients ? [{ name, begin: faultAt, end: overAt + 1_000 }] : [];
    const leftovers = await fleet.close();
    const calls = [...loop.calls, ...((await parked?.calls) ?? [])];
    const violations = checkHistory({
      calls,
      runs,
      cuts: [...cuts, ...fleet.observer.stalls],
      leftovers,
      limitMs: timeoutMs + 5_000,
      isRecovered: parked === undefined,
    });
    const shown = calls.map((call) => ({ ...call, begin: call.begin - faultAt, end: call.end - faultAt }));
    return { name, title, measures, sightings, notes, violations, load: loadavg()[0] ?? 0, calls: shown };
  } finally {
    await fleet.close();
  }
}

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the callers have no sessions after ${limitMs} ms`)), limitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

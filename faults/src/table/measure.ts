// The numbers of one row, computed from the records of the run.
import { sessionChanges } from "../check/check-history.ts";
import type { CallRecord, RunRecord } from "../check/records.ts";

export interface Measures {
  readonly calls: number;
  readonly ok: number;
  readonly unavailable: number;
  /** Unavailable with the status 503 and Retry-After. */
  readonly unavailable503: number;
  /** Typed errors that tell of a lost session. */
  readonly told: number;
  readonly lost: number;
  /** Lost calls that the upstream has executed. */
  readonly lostRan: number;
  readonly untyped: number;
  readonly doubled: number;
  readonly sessionsLost: number;
  /** Lost sessions without a notice. */
  readonly untold: number;
  /** Returns to a counter that was lost before. */
  readonly flapping: number;
  /** The longest time a caller could not use a session, in ms. */
  readonly longestPauseMs: number;
  readonly slowestCallMs: number;
  /** From the first to the last failed call, in ms after the fault. Absent without one. */
  readonly badFromMs?: number;
  readonly badToMs?: number;
  /** Failures by status and reason. */
  readonly failures: Readonly<Record<string, number>>;
}

/** `from` and `faultAt` are in ms since the start of the run. Calls that began before `from` do not count. */
export function measure(
  all: readonly CallRecord[],
  runs: readonly RunRecord[],
  from: number,
  faultAt: number,
): Measures {
  const calls = all.filter(({ begin }) => begin >= from);
  const begun = new Map<string, number>();
  for (const { event, id } of runs) if (event === "begin" && id) begun.set(id, (begun.get(id) ?? 0) + 1);
  const of = (outcome: CallRecord["outcome"]) => calls.filter((call) => call.outcome === outcome);
  const bad = calls.filter(({ outcome }) => outcome !== "ok" && outcome !== "told");
  const changes = sessionChanges(all).filter(({ call }) => call.begin >= from);
  const lost = of("lost");
  const badSpan =
    bad.length === 0
      ? {}
      : {
          badFromMs: Math.min(...bad.map(({ begin }) => begin)) - faultAt,
          badToMs: Math.max(...bad.map(({ end }) => end)) - faultAt,
        };
  return {
    calls: calls.length,
    ok: of("ok").length,
    unavailable: of("unavailable").length,
    unavailable503: of("unavailable").filter(({ status, hasRetryAfter }) => status === 503 && hasRetryAfter).length,
    told: of("told").length,
    lost: lost.length,
    lostRan: lost.filter(({ id }) => begun.has(id)).length,
    untyped: of("untyped").length,
    doubled: [...begun.values()].filter((count) => count > 1).length,
    sessionsLost: changes.length,
    untold: changes.filter(({ isTold }) => !isTold).length,
    flapping: changes.filter(({ isReturn }) => isReturn).length,
    longestPauseMs: longestPause(calls),
    slowestCallMs: Math.max(0, ...calls.map(({ begin, end }) => end - begin)),
    ...badSpan,
    failures: countFailures(calls),
  };
}

/**
 * From the begin of the first call that a session did not answer, to the end of the next call that it answered. The error that tells of its
 * loss is an answer, too: the session works again, from an empty state.
 */
export function longestPause(calls: readonly CallRecord[]): number {
  let longest = 0;
  const waitingSince = new Map<string, number>();
  for (const { caller, upstream, outcome, begin, end } of calls.toSorted((a, b) => a.end - b.end)) {
    const session = `${caller} ${upstream}`;
    const since = waitingSince.get(session) ?? begin;
    longest = Math.max(longest, end - since);
    if (outcome === "ok" || outcome === "told") waitingSince.delete(session);
    else waitingSince.set(session, since);
  }
  return longest;
}

function countFailures(calls: readonly CallRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome, reason, status } of calls) {
    if (outcome === "ok") continue;
    const key = `${outcome}: ${status ?? "no status"} ${reason ?? ""}`.slice(0, 120);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

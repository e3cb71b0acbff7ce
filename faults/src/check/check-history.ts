// Checks a recorded history: what callers saw against what the upstreams executed.
import type { CallRecord, History, RunRecord, Span } from "./records.ts";

export interface Violation {
  readonly rule:
    | "executed twice"
    | "executed although not started"
    | "not executed although ok"
    | "wrong result"
    | "session of another caller"
    | "gap in a session"
    | "session changed without notice"
    | "session came back"
    | "untyped error"
    | "no end"
    | "no recovery"
    | "wrong answer"
    | "answered twice"
    | "unknown execution"
    | "left over";
  readonly detail: string;
}

export function checkHistory(history: History): Violation[] {
  const begins = groupBy(eventsOf(history, "begin"), ({ id }) => id ?? "");
  return [
    ...checkExecutions(history, begins),
    ...checkAnswers(history),
    ...checkOwners(history),
    ...checkCounters(history),
    ...checkSessions(history),
    ...checkEnds(history),
    ...checkRecovery(history),
    ...history.leftovers.map((detail): Violation => ({ rule: "left over", detail })),
  ];
}

function* checkExecutions({ calls }: History, begins: Map<string, RunRecord[]>): Generator<Violation> {
  for (const [id, runs] of begins) {
    if (runs.length > 1) yield { rule: "executed twice", detail: `${id} ran ${runs.length} times` };
  }
  const known = new Set(calls.map(({ id }) => id));
  for (const id of begins.keys()) if (!known.has(id)) yield { rule: "unknown execution", detail: id };
  for (const call of calls) {
    const run = begins.get(call.id)?.[0];
    if (call.outcome === "ok") {
      if (!run) yield { rule: "not executed although ok", detail: show(call) };
      else if (run.instance !== call.instance || run.n !== call.n) {
        yield { rule: "wrong result", detail: `${show(call)}, executed as ${run.instance} ${run.n}` };
      }
    } else if (run && !call.isBegun && (call.outcome === "unavailable" || call.outcome === "told")) {
      yield { rule: "executed although not started", detail: show(call) };
    }
  }
}

function* checkAnswers(history: History): Generator<Violation> {
  const answers = groupBy(eventsOf(history, "answered"), ({ id }) => id ?? "");
  for (const [id, found] of answers) {
    if (found.length > 1) yield { rule: "answered twice", detail: id };
  }
  for (const call of history.calls) {
    if (call.tool !== "ask") continue;
    const found = answers.get(call.id)?.[0];
    if (found && found.answer !== call.answer) {
      yield { rule: "wrong answer", detail: `${show(call)} was answered "${found.answer}"` };
    }
    if (!found && call.outcome === "ok") yield { rule: "wrong answer", detail: `${show(call)} was not answered` };
    if (found && call.outcome === "unavailable") {
      yield { rule: "executed although not started", detail: `the answer of ${show(call)}` };
    }
  }
}

/** One counter serves one caller. */
function* checkOwners({ calls, runs }: History): Generator<Violation> {
  const callers = new Map(calls.map(({ id, caller }) => [id, caller]));
  const owners = new Map<string, string>();
  const uses = [
    ...runs.flatMap(({ instance, id }) => (id === undefined ? [] : [{ instance, caller: callers.get(id) }])),
    ...calls,
  ];
  for (const { instance, caller } of uses) {
    if (instance === undefined || caller === undefined) continue;
    const owner = owners.get(instance) ?? caller;
    owners.set(instance, owner);
    if (owner !== caller) {
      yield { rule: "session of another caller", detail: `${caller} used ${instance} of ${owner}` };
    }
  }
}

/** The values of one counter that began calls are 1, 2, 3 … without a gap. */
function* checkCounters(history: History): Generator<Violation> {
  const found = groupBy(eventsOf(history, "begin"), ({ instance }) => instance);
  for (const [instance, runs] of found) {
    const values = runs.map(({ n = 0 }) => n).sort((a, b) => a - b);
    const gap = values.findIndex((n, index) => n !== index + 1);
    if (gap >= 0) yield { rule: "gap in a session", detail: `${instance} has ${values[gap]} in place of ${gap + 1}` };
  }
}

/** A caller stays at its counter until it is told that the session was lost, and never comes back to a lost one. */
function* checkSessions({ calls, blinds = [] }: History): Generator<Violation> {
  for (const { call, from, isTold, isNoticeLost, isReturn, usedAt } of sessionChanges(calls)) {
    if (isReturn) yield { rule: "session came back", detail: `${show(call)} after ${from}` };
    else if (!isTold && !isNoticeLost && !isWithin({ ...call, begin: usedAt }, blinds))
      yield { rule: "session changed without notice", detail: `${show(call)} after ${from}` };
  }
}

export interface SessionChange {
  readonly call: CallRecord;
  /** The counter before. */
  readonly from: string;
  /** When the last call ended that this counter answered. */
  readonly usedAt: number;
  readonly isTold: boolean;
  /** A response since the last use of the counter did not arrive. It may have been the notice, which is sent once. */
  readonly isNoticeLost: boolean;
  /** True if the caller had used this counter before the last one. */
  readonly isReturn: boolean;
}

/** Each change of the counter that answers a caller, in the order in which calls ended. */
export function sessionChanges(calls: readonly CallRecord[]): SessionChange[] {
  const changes: SessionChange[] = [];
  for (const own of groupBy(calls, ({ caller, upstream }) => `${caller} ${upstream}`).values()) {
    const seen = new Set<string>();
    let last: string | undefined;
    let usedAt = 0;
    let isTold = false;
    let isNoticeLost = false;
    for (const call of own.toSorted((a, b) => a.end - b.end)) {
      if (call.outcome === "told" || call.reason === "call_gone" || call.reason === "task_lost") isTold = true;
      if (call.outcome === "lost" || call.outcome === "untyped") isNoticeLost = true;
      const { instance } = call;
      if (instance === undefined) continue;
      if (last !== undefined && instance !== last) {
        const isReturn = seen.has(instance);
        changes.push({ call, from: last, usedAt, isTold: isTold || call.isMarked === true, isNoticeLost, isReturn });
      }
      seen.add(instance);
      last = instance;
      usedAt = call.end;
      isTold = false;
      isNoticeLost = false;
    }
  }
  return changes;
}

function* checkEnds({ calls, cuts, limitMs }: History): Generator<Violation> {
  for (const call of calls) {
    if (call.end - call.begin > limitMs) yield { rule: "no end", detail: show(call) };
    else if (call.outcome === "untyped" && !isWithin(call, cuts)) {
      yield { rule: "untyped error", detail: show(call) };
    }
  }
}

function* checkRecovery({ calls, isRecovered = false }: History): Generator<Violation> {
  if (!isRecovered) return;
  for (const own of groupBy(calls, ({ caller, upstream }) => `${caller} ${upstream}`).values()) {
    const last = own.reduce((latest, call) => (call.end > latest.end ? call : latest));
    if (last.outcome !== "ok") yield { rule: "no recovery", detail: show(last) };
  }
}

function isWithin(call: CallRecord, spans: readonly Span[]): boolean {
  return spans.some(({ begin, end }) => begin <= call.end && call.begin <= end);
}

function eventsOf({ runs }: History, event: RunRecord["event"]): RunRecord[] {
  return runs.filter((run) => run.event === event);
}

function show({ id, upstream, tool, outcome, reason, instance, n, begin, end }: CallRecord): string {
  const times = `${(begin / 1_000).toFixed(2)}–${(end / 1_000).toFixed(2)} s`;
  return `${id} ${upstream} ${tool} ${times} ${outcome}${reason ? ` (${reason})` : ""}${instance ? ` ${instance} ${n}` : ""}`;
}

function groupBy<T>(items: readonly T[], toKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

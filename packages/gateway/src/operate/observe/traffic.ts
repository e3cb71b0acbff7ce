// Counts the requests of this replica: in all, over time, per upstream and per caller. Every table has a bound.
import { method } from "@lethe/protocol";
import type { RequestRecord } from "../../edge/request-record.ts";
import { type Counts, noCounts } from "./duration-counts.ts";
import { type PackedStep, stepAt, TimeSeries } from "./time-series.ts";

/** Upstreams with a series of their own. Removed ones are forgotten with the next reload. */
const maxUpstreams = 1_000;
/** Callers that are counted apart. The others are counted together. */
const maxCallers = 100;
/** Pairs of a caller and an upstream that are counted in a minute. Further pairs are left out of the flows. */
const maxFlows = 2_000;
const windowMs = 60_000;

/** The name of all callers beyond the limit. */
export const otherCallers = "*";

/** Requests of one caller to one upstream. Errors are requests that failed or that the gateway rejected, but not errors of tools. */
export interface Flow {
  /** Empty for callers without identity. */
  readonly caller: string;
  /** Empty for requests that the gateway answers itself. */
  readonly upstream: string;
  readonly requests: number;
  readonly errors: number;
}

export interface Traffic {
  readonly total: { readonly requests: number; readonly errors: number };
  observe(record: RequestRecord): void;
  /** The last minute. */
  recent(upstream?: string): Counts;
  /** Those of the last steps that have requests, the oldest first. */
  pack(points: number, upstream?: string): readonly PackedStep[];
  /** The upstreams that had requests. */
  readonly upstreams: Iterable<string>;
  /** One step of the series, for each upstream with requests in it. */
  step(step: number): StepCounts;
  /** Requests of the last one to two minutes, and how many seconds that are. */
  flows(): { readonly seconds: number; readonly flows: readonly Flow[] };
  /** Forgets all other upstreams. */
  keep(upstreams: ReadonlySet<string>): void;
}

export interface StepCounts {
  readonly gateway: Counts;
  readonly upstreams: Readonly<Record<string, Counts>>;
}

interface Counter {
  requests: number;
  errors: number;
}

/** Requests by caller and upstream since a moment. */
interface Window {
  readonly since: number;
  readonly callers: Map<string, Map<string, Counter>>;
  size: number;
}

/** `now` returns ms since 1970. */
export function createTraffic(now: () => number = Date.now): Traffic {
  const total = { requests: 0, errors: 0 };
  const gateway = new TimeSeries();
  const byUpstream = new Map<string, TimeSeries>();
  let current: Window = { since: now(), callers: new Map(), size: 0 };
  let previous: Window = current;

  function seriesOf(upstream: string): TimeSeries | undefined {
    const known = byUpstream.get(upstream);
    if (known || byUpstream.size >= maxUpstreams) return known;
    const made = new TimeSeries();
    byUpstream.set(upstream, made);
    return made;
  }

  function turn(at: number): void {
    if (at - current.since < windowMs) return;
    // After a pause, the window before is too old to tell anything.
    const isRecent = at - current.since < 2 * windowMs;
    const made = { since: isRecent ? current.since + windowMs : at, callers: new Map(), size: 0 };
    previous = isRecent ? current : made;
    current = made;
  }

  function count(caller: string, upstream: string, isError: boolean): void {
    const { callers } = current;
    const name = callers.has(caller) || callers.size < maxCallers ? caller : otherCallers;
    const flows = callers.get(name) ?? new Map<string, Counter>();
    const counter = flows.get(upstream) ?? { requests: 0, errors: 0 };
    counter.requests += 1;
    if (isError) counter.errors += 1;
    if (counter.requests > 1 || current.size >= maxFlows) return;
    current.size += 1;
    callers.set(name, flows.set(upstream, counter));
  }

  return {
    total,
    observe({ method: requested, upstream, caller = "", outcome, ms }) {
      // A subscription says nothing about durations.
      if (requested === method.listen) return;
      const at = now();
      const isError = outcome === "error" || outcome === "rejected";
      total.requests += 1;
      if (isError) total.errors += 1;
      gateway.add(ms, isError, at);
      if (upstream !== undefined) seriesOf(upstream)?.add(ms, isError, at);
      turn(at);
      count(caller, upstream ?? "", isError);
    },
    recent: (upstream) =>
      upstream === undefined ? gateway.recent(now()) : (byUpstream.get(upstream)?.recent(now()) ?? noCounts),
    pack: (points, upstream) =>
      (upstream === undefined ? gateway : byUpstream.get(upstream))?.pack(points, now()) ?? [],
    get upstreams() {
      return byUpstream.keys();
    },
    step(step) {
      const all = [...byUpstream].map(([name, series]) => [name, series.of(step, 1)] as const);
      return {
        gateway: gateway.of(step, 1),
        upstreams: Object.fromEntries(all.filter(([, { requests }]) => requests > 0)),
      };
    },
    flows() {
      turn(now());
      const windows = previous === current ? [current] : [previous, current];
      const flows = windows.flatMap(({ callers }) =>
        [...callers].flatMap(([caller, upstreams]) =>
          [...upstreams].map(([upstream, counter]) => ({ caller, upstream, ...counter })),
        ),
      );
      return { seconds: Math.max(1, (now() - (windows[0]?.since ?? now())) / 1_000), flows };
    },
    keep(upstreams) {
      for (const name of byUpstream.keys()) if (!upstreams.has(name)) byUpstream.delete(name);
    },
  };
}

/** The step that ended last. */
export function lastStep(now: number): number {
  return stepAt(now) - 1;
}

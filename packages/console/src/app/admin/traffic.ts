// Traffic over the last ten minutes: the series that the gateway keeps, continued with each step that its event stream announces.
import type { Recent, Series, SeriesAnswer, TickEvent, Upstream } from "./admin-api.ts";

/** A series with the begin of each step, in seconds since 1970. */
export interface Traffic extends Series {
  readonly times: readonly number[];
}

/** The answer of the gateway, and the steps since then. The series of a thousand upstreams are continued only where they are shown. */
export interface FollowedSeries extends SeriesAnswer {
  readonly ticks?: readonly FollowedTick[];
}

interface FollowedTick {
  readonly tick: TickEvent;
  /** By how many steps it moved the series. */
  readonly moved: number;
}

/** The traffic of an upstream, or of the whole gateway. */
export function trafficOf(answer: FollowedSeries | undefined, upstream?: string): Traffic {
  if (!answer) return { times: [], ...emptySeries(0) };
  const { newest, stepSeconds, gateway, upstreams, ticks = [] } = answer;
  const last = Date.parse(newest) / 1_000;
  const steps = gateway.requests.length;
  const times = Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepSeconds);
  if (upstream === undefined) return { times, ...gateway };
  const known = ofUpstream(upstreams, upstream) ?? emptySeries(steps);
  const series = ticks.reduce(
    (before, { tick, moved }) => move(before, moved, ofUpstream(tick.upstreams, upstream)),
    known,
  );
  return { times, ...series };
}

/** By how many steps the tick moves the series on: 1 where no step is missing in between, 0 or less for a step that it knows. */
export function stepsAfter({ newest, stepSeconds }: SeriesAnswer, { time }: TickEvent): number {
  return Math.round((Date.parse(time) - Date.parse(newest)) / (stepSeconds * 1_000)) + 1;
}

/** Adds the step that has ended, and begins the next one. Steps that the page missed have no requests. */
export function withTick(answer: FollowedSeries, tick: TickEvent): FollowedSeries {
  const { stepSeconds } = answer;
  const ended = Date.parse(tick.time);
  const moved = stepsAfter(answer, tick);
  if (moved < 0) return answer;
  const steps = answer.gateway.requests.length;
  return {
    ...answer,
    newest: new Date(ended + stepSeconds * 1_000).toISOString(),
    gateway: move(answer.gateway, moved, tick.gateway),
    // Each of them moves the series by a step at least, so that older ones have left it.
    ticks: [...(answer.ticks ?? []), { tick, moved }].slice(-steps - 1),
  };
}

/** The traffic of the last minute, which changes without a change of the state. */
export function withRecent(upstreams: readonly Upstream[], { recent }: TickEvent): Upstream[] {
  return upstreams.map((upstream) => ({ ...upstream, recent: ofUpstream(recent, upstream.name) ?? noTraffic }));
}

const noTraffic: Recent = { requests: 0, errors: 0, p50: null, p95: null };

/** An upstream may have the name of a member that every object inherits, such as `constructor`. */
function ofUpstream<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function move(series: Series, moved: number, ended: Recent | undefined): Series {
  const at = <T>(values: readonly T[], empty: T, value: T | undefined): T[] => {
    const next = [...values, ...new Array<T>(Math.min(moved, values.length)).fill(empty)].slice(-values.length);
    if (value !== undefined && next.length > 1) next[next.length - 2] = value;
    return next;
  };
  return {
    requests: at(series.requests, 0, ended?.requests),
    errors: at(series.errors, 0, ended?.errors),
    p50: at(series.p50, null, ended?.p50),
    p95: at(series.p95, null, ended?.p95),
  };
}

function emptySeries(steps: number): Series {
  const zeros = new Array<number>(steps).fill(0);
  const nothing = new Array<null>(steps).fill(null);
  return { requests: zeros, errors: zeros, p50: nothing, p95: nothing };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

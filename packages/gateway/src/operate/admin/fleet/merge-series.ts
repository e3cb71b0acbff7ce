// The steps of the series of several replicas, added up by their time.
import { addCounts, type Counts, noCounts } from "../../observe/duration-counts.ts";
import { maxPoints, type Series, stepAt, stepSeconds, toSeries } from "../../observe/time-series.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import { type ApiRequest, integerIn } from "../api/api-request.ts";
import type { FiguresHead } from "../api/fleet.ts";
import type { SeriesAnswer } from "../api/overview.ts";

/** A step with requests, by its age: 0 is the newest one. Then the numbers of requests, of errors, and of requests by class of duration. */
type PackedStep = readonly [age: number, requests: number, errors: number, ...durations: number[]];

/** What one replica adds to a series. Upstreams without a request are absent. */
export interface SeriesPart {
  readonly replica: string;
  /** The number of its newest step: the clocks of replicas may differ. */
  readonly newest: number;
  readonly gateway: readonly PackedStep[];
  readonly upstreams: Readonly<Record<string, readonly PackedStep[]>>;
}

export function toSeriesPart(
  { replica, traffic }: Pick<AdminSource, "replica" | "traffic">,
  request: ApiRequest,
): SeriesPart {
  const points = pointsIn(request);
  const { upstream } = request.query;
  const wanted = upstream === undefined ? [...traffic.upstreams] : [upstream];
  const packed = wanted.map((name) => [name, pack(traffic.steps(points, name))] as const);
  return {
    replica,
    newest: stepAt(Date.now()),
    gateway: pack(traffic.steps(points)),
    upstreams: Object.fromEntries(packed.filter(([, steps]) => steps.length > 0)),
  };
}

export function mergeSeries(
  own: SeriesPart,
  others: readonly SeriesPart[],
  { request, head }: { readonly request: ApiRequest; readonly head: FiguresHead },
): SeriesAnswer {
  const all = [own, ...others];
  const points = pointsIn(request);
  const seriesOf = (stepsOf: (part: SeriesPart) => readonly PackedStep[]): Series => {
    const steps = Array.from({ length: points }, (): Counts[] => []);
    for (const part of all) {
      for (const [age, requests, errors, ...durations] of stepsOf(part)) {
        steps[points - 1 - (own.newest - part.newest) - age]?.push({ requests, errors, durations });
      }
    }
    return toSeries(steps.map((counts) => (counts.length === 0 ? noCounts : addCounts(counts))));
  };
  const names = new Set(all.flatMap(({ upstreams }) => Object.keys(upstreams)));
  const upstreams = [...names].map((name) => [name, seriesOf((part) => part.upstreams[name] ?? [])] as const);
  return {
    ...head,
    stepSeconds,
    newest: new Date(own.newest * stepSeconds * 1_000).toISOString(),
    gateway: seriesOf(({ gateway }) => gateway),
    // All steps of an upstream may be too new or too old here.
    upstreams: Object.fromEntries(upstreams.filter(([, { requests }]) => requests.some((count) => count > 0))),
  };
}

function pack(steps: readonly Counts[] = []): PackedStep[] {
  return steps.flatMap(({ requests, errors, durations }, index) =>
    requests === 0 ? [] : [[steps.length - 1 - index, requests, errors, ...durations] as const],
  );
}

function pointsIn(request: ApiRequest): number {
  return Math.max(1, Math.min(maxPoints, integerIn(request, "points") ?? maxPoints));
}

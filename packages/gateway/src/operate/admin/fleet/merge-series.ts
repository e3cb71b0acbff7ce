// The steps of the series of several replicas, added up by their time.
import { setImmediate } from "node:timers/promises";
import { maxPoints, type PackedStep, type Series, stepAt, stepSeconds } from "../../observe/time-series.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import { type ApiRequest, integerIn } from "../api/api-request.ts";
import type { FiguresHead } from "../api/fleet.ts";
import type { SeriesAnswer } from "../api/overview.ts";
import { AddedSteps } from "./added-steps.ts";

/** Upstreams that are added up at a time. Other work of the gateway runs in between. */
const maxAtOnce = 100;

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
  const packed = wanted.map((name) => [name, traffic.pack(points, name)] as const);
  return {
    replica,
    newest: stepAt(Date.now()),
    gateway: traffic.pack(points),
    upstreams: Object.fromEntries(packed.filter(([, steps]) => steps.length > 0)),
  };
}

export async function mergeSeries(
  own: SeriesPart,
  others: readonly SeriesPart[],
  { request, head }: { readonly request: ApiRequest; readonly head: FiguresHead },
): Promise<SeriesAnswer> {
  const all = [own, ...others];
  const added = new AddedSteps(pointsIn(request));
  for (const { gateway, newest } of all) added.add(gateway, own.newest - newest);
  const gateway = added.take();
  const upstreams: [string, Series][] = [];
  for (const [index, [name, parts]] of [...byUpstream(all)].entries()) {
    if (index % maxAtOnce === maxAtOnce - 1) await setImmediate();
    for (const { steps, newest } of parts) added.add(steps, own.newest - newest);
    upstreams.push([name, added.take()]);
  }
  return {
    ...head,
    stepSeconds,
    newest: new Date(own.newest * stepSeconds * 1_000).toISOString(),
    gateway,
    // All steps of an upstream may be too new or too old here.
    upstreams: Object.fromEntries(upstreams.filter(([, { requests }]) => requests.some((count) => count > 0))),
  };
}

interface UpstreamSteps {
  readonly steps: readonly PackedStep[];
  /** Of the replica. */
  readonly newest: number;
}

function byUpstream(all: readonly SeriesPart[]): Map<string, UpstreamSteps[]> {
  const found = new Map<string, UpstreamSteps[]>();
  for (const { upstreams, newest } of all) {
    for (const [name, steps] of Object.entries(upstreams)) {
      const known = found.get(name);
      if (known) known.push({ steps, newest });
      else found.set(name, [{ steps, newest }]);
    }
  }
  return found;
}

function pointsIn(request: ApiRequest): number {
  return Math.max(1, Math.min(maxPoints, integerIn(request, "points") ?? maxPoints));
}

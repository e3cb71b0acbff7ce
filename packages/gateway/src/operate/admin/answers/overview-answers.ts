// Answers with the state of this replica and its traffic over time.
import type { GatewayView } from "../../observe/gateway-view.ts";
import { maxPoints, stepAt, stepSeconds } from "../../observe/time-series.ts";
import { type ApiRequest, integerIn } from "../api/api-request.ts";
import type { Overview, SeriesAnswer } from "../api/overview.ts";
import type { AdminSource } from "./admin-source.ts";

export function toOverview(source: AdminSource, view: GatewayView = source.view()): Overview {
  const { upstreams, sessions, pendingCalls, tasks, shared } = view;
  const counts = { starting: 0, ready: 0, idle: 0, failed: 0 };
  for (const { state } of upstreams) counts[state] += 1;
  const { name, version, state, started, upSeconds, listening, features, memory, files, notes } = source.about();
  return {
    ...{ name, version, replica: source.replica, state, started, upSeconds, listening, features },
    upstreams: counts,
    sessions: sessions.length,
    pendingCalls: pendingCalls.length,
    tasks: tasks.length,
    total: { ...source.traffic.total },
    recent: source.traffic.recent(),
    ...{ memory, files, notes },
    warnings: upstreams.flatMap(({ name: upstream, warnings }) => warnings.map((warning) => `${upstream}: ${warning}`)),
    ...(shared && { shared }),
  };
}

export function toSeriesAnswer({ replica, traffic }: AdminSource, request: ApiRequest): SeriesAnswer {
  const points = Math.max(1, Math.min(maxPoints, integerIn(request, "points") ?? maxPoints));
  const { upstream } = request.query;
  const wanted = upstream === undefined ? [...traffic.upstreams] : [upstream];
  const series = wanted.flatMap((name) => {
    const own = traffic.series(points, name);
    return own?.requests.some((count) => count > 0) ? [[name, own] as const] : [];
  });
  const none = Array.from({ length: points }, () => 0);
  const empty = { requests: none, errors: none, p50: none.map(() => null), p95: none.map(() => null) };
  return {
    replica,
    stepSeconds,
    newest: new Date(stepAt(Date.now()) * stepSeconds * 1_000).toISOString(),
    gateway: traffic.series(points) ?? empty,
    upstreams: Object.fromEntries(series),
  };
}

// One upstream in detail, as all replicas know it.
import { addCounts, type Counts, toRecent } from "../../observe/duration-counts.ts";
import type { UpstreamView } from "../../observe/gateway-view.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import { toUpstreamDetail } from "../answers/upstream-answers.ts";
import { ApiError, type ApiRequest } from "../api/api-request.ts";
import type { FiguresHead } from "../api/fleet.ts";
import type { UpstreamDetail } from "../api/upstreams.ts";
import { figuresOf } from "./figures.ts";
import { mergeUpstream } from "./merge-upstream.ts";

/** What one replica knows of an upstream. */
export interface UpstreamPart {
  readonly replica: string;
  /** Absent where the replica does not have the upstream. */
  readonly detail?: UpstreamDetail;
  /** The last minute. */
  readonly recent: Counts;
}

export function toUpstreamPart(source: AdminSource, request: ApiRequest): UpstreamPart {
  const { name = "" } = request.path;
  const { replica, traffic } = source;
  const detail = toUpstreamDetail(source, name);
  return { replica, ...(detail && { detail }), recent: traffic.recent(name) };
}

/** Throws ApiError for an upstream that no replica has. */
export function mergeDetail(
  own: UpstreamPart,
  others: readonly UpstreamPart[],
  { request, head }: { readonly request: ApiRequest; readonly head: FiguresHead },
): UpstreamDetail {
  const all = [own, ...others];
  const details = all.flatMap(({ detail }) => detail ?? []);
  // A replica where the upstream never started has no verdict.
  const base = details.find(({ verdict }) => verdict !== undefined) ?? details[0];
  if (!base) throw new ApiError(404, `no upstream ${request.path.name}`);
  const { endpoint, stderr, openSessions: _, processes: __, recent: ___, ...view } = base;
  const figures = all.map(({ replica, detail }) => ({ replica, figures: detail && figuresOf(detail) }));
  return {
    ...mergeUpstream(view satisfies UpstreamView, figures),
    ...head,
    recent: toRecent(addCounts(all.map(({ recent }) => recent))),
    endpoint,
    openSessions: details.flatMap(({ openSessions }) => openSessions),
    processes: details.flatMap(({ processes }) => processes),
    stderr: all.length === 1 ? stderr : details.flatMap(toNamedLines),
  };
}

function toNamedLines({ replica, stderr }: UpstreamDetail): string[] {
  return stderr.map((line) => `${replica} ${line}`);
}

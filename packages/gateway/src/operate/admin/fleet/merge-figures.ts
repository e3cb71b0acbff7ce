// The figures of this replica and those of the others as one system.
import { addCounts, type Counts, type Recent, toRecent } from "../../observe/duration-counts.ts";
import type { GatewayView } from "../../observe/gateway-view.ts";
import type { StepCounts } from "../../observe/traffic.ts";
import type { FiguresHead, UnansweredReplica } from "../api/fleet.ts";
import type { Overview, UpstreamCounts } from "../api/overview.ts";
import type { Upstream } from "../api/upstreams.ts";
import { figuresOf, type ReplicaFigures } from "./figures.ts";
import { mergeUpstream } from "./merge-upstream.ts";

/** What this replica has itself. */
export interface OwnFigures {
  readonly overview: Overview;
  readonly view: GatewayView;
  /** Requests of the last minute, of an upstream or of the whole gateway. */
  recent(upstream?: string): Counts;
}

export interface OtherFigures {
  readonly others: readonly ReplicaFigures[];
  readonly unanswered: readonly UnansweredReplica[];
}

/** An upstream without its traffic, which changes with every request. */
export type QuietUpstream = Omit<Upstream, "recent">;

/** Replicas that answered with figures of any kind, and those that did not. */
interface Answered {
  readonly others: readonly { readonly replica: string }[];
  readonly unanswered: readonly UnansweredReplica[];
}

export function toHead(replica: string, { others, unanswered }: Answered): FiguresHead {
  return { replica, replicas: [replica, ...others.map((other) => other.replica)], unanswered };
}

/** The upstreams of this replica, and then those that only others have. */
export function mergeUpstreams({ overview, view }: OwnFigures, { others }: OtherFigures): readonly QuietUpstream[] {
  if (others.length === 0) return view.upstreams;
  const { replica } = overview;
  const byName = new Map(view.upstreams.map((upstream) => [upstream.name, upstream]));
  const names = new Set([...byName.keys(), ...others.flatMap(({ upstreams }) => [...upstreams.keys()])]);
  return [...names].map((name) => {
    const own = byName.get(name);
    return mergeUpstream(own, [{ replica, figures: own && figuresOf(own) }, ...atOthers(name, others)]);
  });
}

function atOthers(name: string, others: readonly ReplicaFigures[]) {
  return others.map(({ replica, upstreams }) => ({ replica, figures: upstreams.get(name) }));
}

export function withRecent(
  upstream: QuietUpstream,
  own: Pick<OwnFigures, "recent">,
  { others }: OtherFigures,
): Upstream {
  const { name } = upstream;
  return {
    ...upstream,
    recent: toRecent(
      addCounts([
        own.recent(name),
        ...countsOf(
          name,
          others.map(({ recent }) => recent),
        ),
      ]),
    ),
  };
}

export function mergeOverview(own: OwnFigures, upstreams: readonly QuietUpstream[], other: OtherFigures): Overview {
  const { overview } = own;
  const all = [overview, ...other.others.map(({ gateway }) => gateway)];
  const sum = (member: "sessions" | "pendingCalls" | "tasks") => all.reduce((total, one) => total + one[member], 0);
  return {
    ...overview,
    ...toHead(overview.replica, other),
    upstreams: countStates(upstreams),
    ...{ sessions: sum("sessions"), pendingCalls: sum("pendingCalls"), tasks: sum("tasks") },
    total: {
      requests: all.reduce((requests, { total }) => requests + total.requests, 0),
      errors: all.reduce((errors, { total }) => errors + total.errors, 0),
    },
    recent: toRecent(addCounts([own.recent(), ...other.others.map(({ gateway }) => gateway.recent)])),
  };
}

function countStates(upstreams: readonly Pick<Upstream, "state">[]): UpstreamCounts {
  const counts = { starting: 0, ready: 0, idle: 0, failed: 0 };
  for (const { state } of upstreams) counts[state] += 1;
  return counts;
}

/** The same step of several replicas. */
export function mergeSteps(all: readonly StepCounts[]): { gateway: Recent; upstreams: Record<string, Recent> } {
  return {
    gateway: toRecent(addCounts(all.map(({ gateway }) => gateway))),
    upstreams: mergeCounts(all.map(({ upstreams }) => upstreams)),
  };
}

/** Adds up the counts of each upstream. */
export function mergeCounts(all: readonly Readonly<Record<string, Counts>>[]): Record<string, Recent> {
  const names = new Set(all.flatMap((counts) => Object.keys(counts)));
  return Object.fromEntries([...names].map((name) => [name, toRecent(addCounts(countsOf(name, all)))]));
}

/** An upstream may have the name of a member that every object inherits, such as `constructor`. */
function countsOf(name: string, all: readonly Readonly<Record<string, Counts>>[]): Counts[] {
  return all.flatMap((counts) => (Object.hasOwn(counts, name) ? (counts[name] ?? []) : []));
}

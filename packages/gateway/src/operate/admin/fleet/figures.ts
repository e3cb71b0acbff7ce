// The figures of this replica, which the replica that serves a console adds to its own.
import type { Counts } from "../../observe/duration-counts.ts";
import type { GatewayView, UpstreamView } from "../../observe/gateway-view.ts";
import type { StepCounts, Traffic } from "../../observe/traffic.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import type { Totals } from "../api/overview.ts";

/** Problems of an upstream that another replica learns, and the characters of each and of the reason of a failure. */
const maxProblems = 4;
const maxTextLength = 300;

export interface GatewayFigures {
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  readonly total: Totals;
  /** The last minute. */
  readonly recent: Counts;
}

/**
 * What may differ between replicas, without traffic, and what describes the upstream to a replica that does not have it. The verdict has no
 * evidence, which only the detail of an upstream needs.
 */
export type UpstreamFigures = Pick<
  UpstreamView,
  | ("name" | "state" | "reason" | "problems" | "failures" | "sessions" | "sessionsLost" | "waiting" | "pending")
  | ("tasks" | "tools" | "prompts" | "resources")
  | ("kind" | "target" | "era" | "revision" | "verdict")
>;

/** All figures of a replica at one moment. */
export interface ReplicaFigures {
  /** The first characters of its id. */
  readonly replica: string;
  readonly gateway: GatewayFigures;
  /** By name. */
  readonly upstreams: ReadonlyMap<string, UpstreamFigures>;
  /** Requests of the last minute, for upstreams that had some. */
  readonly recent: Readonly<Record<string, Counts>>;
}

/** The same as JSON. */
export interface FiguresAnswer extends Omit<ReplicaFigures, "upstreams"> {
  readonly upstreams: readonly UpstreamFigures[];
}

/** The traffic of the step that ended last. */
export interface EndedStep extends StepCounts {
  readonly step: number;
  /** As in ReplicaFigures, at the end of the step. */
  readonly recent: Readonly<Record<string, Counts>>;
}

export function toFiguresAnswer({ replica, view, traffic }: AdminSource): FiguresAnswer {
  const now = view();
  return {
    replica,
    gateway: toGatewayFigures(now, traffic),
    upstreams: now.upstreams.map(figuresOf),
    recent: recentOf(traffic),
  };
}

export function toReplicaFigures({ upstreams, ...figures }: FiguresAnswer): ReplicaFigures {
  return { ...figures, upstreams: new Map(upstreams.map((upstream) => [upstream.name, upstream])) };
}

export function toGatewayFigures(
  { sessionCount, pendingCallCount, taskCount }: GatewayView,
  traffic: Pick<Traffic, "total" | "recent">,
): GatewayFigures {
  return {
    ...{ sessions: sessionCount, pendingCalls: pendingCallCount, tasks: taskCount },
    ...{ total: { ...traffic.total }, recent: traffic.recent() },
  };
}

export function figuresOf(upstream: UpstreamView): UpstreamFigures {
  const { name, state, reason, problems, failures, sessions, sessionsLost, waiting, pending, tasks } = upstream;
  const { tools, prompts, resources, kind, target, era, revision, verdict } = upstream;
  return {
    ...{ kind, target: shorten(target), ...(era && { era }), ...(revision !== undefined && { revision }) },
    ...(verdict && { verdict: { ...verdict, evidence: [] } }),
    ...{ name, state, ...(reason !== undefined && { reason: shorten(reason) }) },
    problems: problems.slice(0, maxProblems).map(shorten),
    ...{ failures, sessions, sessionsLost, waiting, pending, tasks, tools, prompts, resources },
  };
}

export function recentOf(traffic: Pick<Traffic, "recent" | "upstreams">): Record<string, Counts> {
  const all = [...traffic.upstreams].map((name) => [name, traffic.recent(name)] as const);
  return Object.fromEntries(all.filter(([, { requests }]) => requests > 0));
}

export function shorten(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

// One upstream at several replicas: figures add up, and states that differ are listed with their replicas.
import type { UpstreamState, UpstreamView } from "../../observe/gateway-view.ts";
import type { StateAtReplicas, Upstream } from "../api/upstreams.ts";
import { shorten, type UpstreamFigures } from "./figures.ts";

export interface UpstreamAtReplica {
  readonly replica: string;
  /** Undefined where the replica does not have it. */
  readonly figures: UpstreamFigures | undefined;
}

/** From the state that needs attention most to the one that needs none. An idle upstream starts on demand. */
const severity = [
  "failed",
  "starting",
  "absent",
  "ready",
  "idle",
] as const satisfies readonly StateAtReplicas["state"][];

/**
 * `own` has what is no figure, as this replica or another one knows it. Undefined where this replica does not have the upstream: then the
 * figures describe it. `all` contains the replica that `own` is from. One of them has the upstream at least.
 */
export function mergeUpstream(
  own: UpstreamView | undefined,
  all: readonly UpstreamAtReplica[],
): Omit<Upstream, "recent"> {
  if (own && all.length === 1) return own;
  const present = all.flatMap(({ figures }) => figures ?? []);
  const view = toView(own, present);
  const sum = (member: "sessions" | "waiting" | "pending" | "tasks") =>
    present.reduce((total, figures) => total + figures[member], 0);
  // A replica where the upstream never started knows none of its items.
  const most = (member: "failures" | "tools" | "prompts" | "resources") =>
    Math.max(...present.map((figures) => figures[member]));
  const { reason: _, ...rest } = view;
  const states = statesOf(all);
  const worst = states.find((one): one is StateAtReplicas & { state: UpstreamState } => one.state !== "absent");
  return {
    ...rest,
    state: worst?.state ?? view.state,
    ...(worst?.reason !== undefined && { reason: worst.reason }),
    ...(states.length > 1 && { states }),
    problems: problemsOf(view, all),
    ...{ sessions: sum("sessions"), waiting: sum("waiting"), pending: sum("pending"), tasks: sum("tasks") },
    ...{ failures: most("failures"), tools: most("tools"), prompts: most("prompts"), resources: most("resources") },
    sessionsLost: sumRecords(present.map(({ sessionsLost }) => sessionsLost)),
  };
}

/** A replica where the upstream never started has no verdict. */
function toView(own: UpstreamView | undefined, present: readonly UpstreamFigures[]): UpstreamView {
  if (own?.verdict) return own;
  const judged = present.find(({ verdict }) => verdict !== undefined);
  const [first] = present;
  if (!first) throw new Error("no replica has the upstream");
  const { era, revision, verdict } = judged ?? first;
  return {
    ...(own ?? { ...(judged ?? first), problems: [], warnings: [] }),
    ...(era && { era }),
    ...(revision !== undefined && { revision }),
    ...(verdict && { verdict }),
  };
}

function statesOf(all: readonly UpstreamAtReplica[]): StateAtReplicas[] {
  const groups = new Map<string, StateAtReplicas & { replicas: string[] }>();
  for (const { replica, figures } of all) {
    const { state, reason } = figures ?? { state: "absent" as const };
    const key = `${state} ${reason ?? ""}`;
    const group = groups.get(key) ?? { state, ...(reason !== undefined && { reason }), replicas: [] };
    group.replicas.push(replica);
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => severity.indexOf(one.state) - severity.indexOf(other.state));
}

/** Those of other replicas name their replica, if `view` does not have them too. */
function problemsOf(view: UpstreamView, all: readonly UpstreamAtReplica[]): string[] {
  const own = new Set(view.problems.map(shorten));
  const foreign = all.flatMap(({ replica, figures }) =>
    (figures?.problems ?? []).filter((problem) => !own.has(problem)).map((problem) => `replica ${replica}: ${problem}`),
  );
  return [...view.problems, ...foreign];
}

function sumRecords(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const record of records) {
    for (const [name, count] of Object.entries(record)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries(sums);
}

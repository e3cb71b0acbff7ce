// Answers with the state of this replica.
import { toRecent } from "../../observe/duration-counts.ts";
import type { GatewayView } from "../../observe/gateway-view.ts";
import type { Overview } from "../api/overview.ts";
import type { AdminSource } from "./admin-source.ts";

export function toOverview(source: AdminSource, view: GatewayView = source.view()): Overview {
  const { upstreams, sessionCount, pendingCallCount, taskCount, shared } = view;
  const counts = { starting: 0, ready: 0, idle: 0, failed: 0 };
  for (const { state } of upstreams) counts[state] += 1;
  const { name, version, state, started, upSeconds, listening, features, memory, files, notes } = source.about();
  return {
    ...{ name, version, replica: source.replica, replicas: [source.replica], unanswered: [] },
    ...{ state, started, upSeconds, listening, features },
    upstreams: counts,
    sessions: sessionCount,
    pendingCalls: pendingCallCount,
    tasks: taskCount,
    total: { ...source.traffic.total },
    recent: toRecent(source.traffic.recent()),
    ...{ memory, files, notes },
    warnings: upstreams.flatMap(({ name: upstream, warnings }) => warnings.map((warning) => `${upstream}: ${warning}`)),
    ...(shared && { shared }),
  };
}

// Answers with the health of this replica.
import type { GatewayView } from "../../observe/gateway-view.ts";
import type { Health, HealthProblem } from "../api/health.ts";
import type { AdminSource } from "./admin-source.ts";

export function toHealth(source: AdminSource): Health {
  const { replica, traffic } = source;
  const view = source.view();
  const { version, state, started, memory, notes } = source.about();
  const { isReady, state: readiness } = source.readiness();
  return {
    ...{ replica, unanswered: [], omitted: 0, isReady, readiness },
    replicas: [
      {
        ...{ id: replica, isSelf: true, version, state, started },
        sessions: view.sessionCount,
        pendingCalls: view.pendingCallCount,
        tasks: view.taskCount,
        ...traffic.total,
        heldBytes: memory.heldBytes,
        ...(view.shared && { shared: view.shared }),
      },
    ],
    limits: source.limits(),
    problems: problemsOf(view, notes),
  };
}

function problemsOf({ upstreams, shared }: GatewayView, notes: readonly string[]): HealthProblem[] {
  return [
    ...notes.map((text) => ({ source: "configuration" as const, text })),
    ...(shared?.problems ?? []).map(({ text }) => ({ source: "shared store" as const, text })),
    ...upstreams.flatMap(({ name, reason, problems }) =>
      [...(reason === undefined ? [] : [reason]), ...problems].map((text) => ({
        ...{ source: "upstream" as const, upstream: name, text },
      })),
    ),
  ];
}

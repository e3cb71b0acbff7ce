// Merges the answers of several replicas into one, for the operations that ask all of them.
import type { ExchangesAnswer, TopologyAnswer } from "./api/exchanges.ts";
import type { FleetAnswer, UnansweredReplica } from "./api/fleet.ts";
import type { Health } from "./api/health.ts";
import type { AdminAnswers } from "./api/operations.ts";
import type { PendingCallsAnswer, SessionsAnswer, TasksAnswer } from "./api/work.ts";

export type FleetOperation = {
  [K in keyof AdminAnswers]: unknown extends AdminAnswers[K] ? never : AdminAnswers[K] extends FleetAnswer ? K : never;
}[keyof AdminAnswers];

type Merge<Answer> = (own: Answer, others: readonly Answer[]) => Omit<Answer, keyof FleetAnswer>;

/** The own answer is that of the replica that received the request. */
export const merges: { readonly [K in FleetOperation]: Merge<AdminAnswers[K]> } = {
  sessions: (own, others): Pick<SessionsAnswer, "sessions"> => ({
    sessions: [own, ...others].flatMap(({ sessions }) => sessions),
  }),
  pendingCalls: (own, others): Pick<PendingCallsAnswer, "pendingCalls"> => ({
    pendingCalls: [own, ...others].flatMap(({ pendingCalls }) => pendingCalls),
  }),
  tasks: (own, others): Pick<TasksAnswer, "tasks"> => ({ tasks: [own, ...others].flatMap(({ tasks }) => tasks) }),
  exchanges: (own, others): Pick<ExchangesAnswer, "exchanges"> => ({
    exchanges: [own, ...others]
      .flatMap(({ exchanges }) => exchanges)
      .sort((one, other) => (one.time < other.time ? 1 : -1)),
  }),
  health: (own, others): Omit<Health, keyof FleetAnswer> => ({
    ...own,
    replicas: [own, ...others].flatMap(({ replicas, replica }) =>
      replicas.map((one) => ({ ...one, isSelf: replica === own.replica })),
    ),
    problems: unique([own, ...others].flatMap(({ problems }) => problems)),
  }),
  topology: (own, others): Omit<TopologyAnswer, keyof FleetAnswer> => {
    const all = [own, ...others];
    return {
      seconds: Math.max(...all.map(({ seconds }) => seconds)),
      callers: sum(
        all.flatMap(({ callers }) => callers),
        ({ id }) => id,
      ),
      replicas: all.flatMap(({ replicas }) => replicas),
      upstreams: sum(
        all.flatMap(({ upstreams }) => upstreams),
        ({ id }) => id,
      ),
      edges: sum(
        all.flatMap(({ edges }) => edges),
        ({ from, to }) => JSON.stringify([from, to]),
      ),
    };
  },
};

export function isFleetOperation(name: keyof AdminAnswers): name is FleetOperation {
  return Object.hasOwn(merges, name);
}

/** The members that every such answer has. */
export function toFleetHead(
  own: FleetAnswer,
  others: readonly FleetAnswer[],
  unanswered: readonly UnansweredReplica[],
): FleetAnswer {
  return {
    replica: own.replica,
    unanswered,
    omitted: [own, ...others].reduce((total, { omitted }) => total + omitted, 0),
  };
}

function sum<T extends { readonly requests: number; readonly errors: number }>(
  items: readonly T[],
  keyOf: (item: T) => string,
): T[] {
  const sums = new Map<string, T>();
  for (const item of items) {
    const { requests, errors } = sums.get(keyOf(item)) ?? { requests: 0, errors: 0 };
    sums.set(keyOf(item), { ...item, requests: item.requests + requests, errors: item.errors + errors });
  }
  return [...sums.values()];
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

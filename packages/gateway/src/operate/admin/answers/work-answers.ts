// Answers with the sessions, pending calls and tasks of this replica.

import type { PendingCallsAnswer, SessionsAnswer, TasksAnswer } from "../api/work.ts";
import type { AdminSource } from "./admin-source.ts";

/** Items of one replica in one answer. */
const maxItems = 1_000;

export function toSessions({ view, replica }: AdminSource): SessionsAnswer {
  const { items, head } = page(view().sessions, replica);
  return { ...head, sessions: items.map((session) => ({ ...session, replica })) };
}

export function toPendingCalls({ view, replica }: AdminSource): PendingCallsAnswer {
  const { items, head } = page(view().pendingCalls, replica);
  return { ...head, pendingCalls: items.map((call) => ({ ...call, id: `${replica}-${call.id}`, replica })) };
}

export function toTasks({ view, replica }: AdminSource): TasksAnswer {
  const { items, head } = page(view().tasks, replica);
  return { ...head, tasks: items.map((task) => ({ ...task, id: `${replica}-${task.id}`, replica })) };
}

function page<T>(all: readonly T[], replica: string) {
  return {
    items: all.slice(0, maxItems),
    head: { replica, unanswered: [], omitted: Math.max(0, all.length - maxItems) },
  };
}

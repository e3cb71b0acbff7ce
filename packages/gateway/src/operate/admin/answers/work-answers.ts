// Answers with the sessions, pending calls and tasks of this replica.

import { toTaskView } from "../../observe/task-view.ts";
import { ApiError, type ApiRequest } from "../api/api-request.ts";
import type { PendingCallsAnswer, SessionsAnswer, TaskDetail, TasksAnswer } from "../api/work.ts";
import type { AdminSource } from "./admin-source.ts";
import { ownIdIn } from "./operator-answers.ts";

/** Items of one replica in one answer. */
const maxItems = 1_000;

export function toSessions({ view, replica }: AdminSource): SessionsAnswer {
  const { sessions, sessionCount } = view();
  const { items, head } = page(sessions, replica);
  return { ...head, omitted: sessionCount - items.length, sessions: items.map((session) => ({ ...session, replica })) };
}

export function toPendingCalls({ view, replica }: AdminSource): PendingCallsAnswer {
  const { items, head } = page(view().pendingCalls, replica);
  return { ...head, pendingCalls: items.map((call) => ({ ...call, id: `${replica}-${call.id}`, replica })) };
}

/** Tasks that have ended follow those that have not. */
export function toTasks({ view, replica, operator, redactor }: AdminSource): TasksAnswer {
  const ended = operator.endedTasks.slice(0, maxItems).map((task) => toTaskView(task, redactor));
  const { items, head } = page([...view().tasks, ...ended], replica);
  return { ...head, tasks: items.map((task) => ({ ...task, id: `${replica}-${task.id}`, replica })) };
}

export function toTaskDetail({ operator, replica, redactor }: AdminSource, request: ApiRequest): TaskDetail {
  const found = operator.findTask(ownIdIn(request));
  if (!found) throw new ApiError(404, `no task ${request.path.id}, or no longer`);
  const { task, timeline } = found;
  const view = toTaskView(task, redactor);
  return {
    ...{ ...view, id: `${replica}-${view.id}`, replica },
    timeline: timeline.events.map(({ at, status, message }) => ({
      time: new Date(at).toISOString(),
      status,
      ...(message !== undefined && { message: redactor.text(message) }),
    })),
    timelineOmitted: timeline.omitted,
  };
}

function page<T>(all: readonly T[], replica: string) {
  return {
    items: all.slice(0, maxItems),
    head: { replica, unanswered: [], omitted: Math.max(0, all.length - maxItems) },
  };
}

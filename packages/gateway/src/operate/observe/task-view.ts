// Tasks and input requests, as operators see them.
import type { InputRequests } from "@lethe/protocol";
import type { LiveTask } from "../../calls/live-task.ts";
import type { InputRequestView, TaskView } from "./gateway-view.ts";
import type { Redactor } from "./redact.ts";

/** Longer input requests are not shown. */
const maxShownLength = 32 * 1024;

/** What an input request asks is written by the upstream, and may be large. */
export function toInputRequestViews(requests: InputRequests, redactor: Redactor): Record<string, InputRequestView> {
  const views = Object.entries(requests).map(([key, { method, params }]) => {
    const isShown = params !== undefined && !redactor.isLongerThan(maxShownLength, params);
    return [key, { method, ...(isShown && { params: redactor.value(params) }) }] as const;
  });
  return Object.fromEntries(views);
}

export function toTaskView(task: LiveTask, redactor: Redactor): TaskView {
  const { id, upstream, tool, callerId, status, statusMessage, createdAt, updatedAt, expiresAt, inputRequests } = task;
  return {
    upstream,
    tool,
    id: id.slice(0, 8),
    ...(callerId !== undefined && { caller: callerId }),
    status,
    ...(statusMessage !== undefined && { statusMessage: redactor.text(statusMessage) }),
    since: new Date(createdAt).toISOString(),
    updated: new Date(updatedAt).toISOString(),
    expires: new Date(expiresAt).toISOString(),
    ...(inputRequests && { inputRequests: toInputRequestViews(inputRequests, redactor) }),
  };
}

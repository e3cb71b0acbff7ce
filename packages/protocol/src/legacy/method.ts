// The messages that only legacy revisions know (K), and the modern ones that they never see.
import { isTaskMethod, method } from "../model/method.ts";

export const legacyMethod = {
  initialize: "initialize",
  ping: "ping",
  setLevel: "logging/setLevel",
  subscribe: "resources/subscribe",
  unsubscribe: "resources/unsubscribe",
  getTask: "tasks/get",
  getTaskResult: "tasks/result",
  listTasks: "tasks/list",
  cancelTask: "tasks/cancel",
} as const;

export const legacyNotification = {
  initialized: "notifications/initialized",
  rootsChanged: "notifications/roots/list_changed",
  elicitationComplete: "notifications/elicitation/complete",
  taskStatus: "notifications/tasks/status",
} as const;

const modernOnly: ReadonlySet<string> = new Set([method.discover, method.listen]);

/** True for what a legacy client gets -32601 for, unless its revision has a method of the same name (D-38, F-1). */
export function isModernOnlyMethod(name: string): boolean {
  return modernOnly.has(name) || isTaskMethod(name);
}

const coreTask: ReadonlySet<string> = new Set([
  legacyMethod.getTask,
  legacyMethod.getTaskResult,
  legacyMethod.listTasks,
  legacyMethod.cancelTask,
]);

/** The methods of core tasks (D-38). Two of them have the names of methods of today. */
export function isCoreTaskMethod(name: string): boolean {
  return coreTask.has(name);
}

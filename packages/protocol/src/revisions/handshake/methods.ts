// The methods and notifications that only revisions with a handshake have (K), and the methods that they do not have.
import { isTaskMethod, method } from "../../model/methods.ts";

/** Methods that only revisions with a handshake have. */
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

/** Notifications that only revisions with a handshake have. */
export const legacyNotification = {
  initialized: "notifications/initialized",
  rootsChanged: "notifications/roots/list_changed",
  elicitationComplete: "notifications/elicitation/complete",
  taskStatus: "notifications/tasks/status",
} as const;

/** True for a method that a client of these revisions gets -32601 for, unless its revision has a method of the same name. */
export function isModernOnlyMethod(name: string): boolean {
  // D-38, F-1
  return name === method.discover || name === method.listen || isTaskMethod(name);
}

const coreTaskMethods: ReadonlySet<string> = new Set([
  legacyMethod.getTask,
  legacyMethod.getTaskResult,
  legacyMethod.listTasks,
  legacyMethod.cancelTask,
]);

/** True for the task methods of 2025-11-25. Two of them share their names with methods of the tasks extension. */
export function isCoreTaskMethod(name: string): boolean {
  // D-38
  return coreTaskMethods.has(name);
}

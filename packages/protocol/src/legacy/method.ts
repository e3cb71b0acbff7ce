// The messages that only legacy revisions know (K), and the modern ones that they never see.
import { method } from "../model/method.ts";

export const legacyMethod = {
  initialize: "initialize",
  ping: "ping",
  setLevel: "logging/setLevel",
  subscribe: "resources/subscribe",
  unsubscribe: "resources/unsubscribe",
} as const;

export const legacyNotification = {
  initialized: "notifications/initialized",
  rootsChanged: "notifications/roots/list_changed",
  elicitationComplete: "notifications/elicitation/complete",
} as const;

const modernOnly: ReadonlySet<string> = new Set([
  method.discover,
  method.listen,
  method.getTask,
  method.updateTask,
  method.cancelTask,
]);

/** True for what a legacy client gets -32601 for: the tasks of 2025-11-25 are not those of today (D-38, F-1). */
export function isModernOnlyMethod(name: string): boolean {
  return modernOnly.has(name);
}

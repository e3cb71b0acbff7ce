// Limits of the settings, in the names of the parts that keep them.
import type { TaskBounds } from "../../calls/gateway-tasks.ts";
import type { ListLimits } from "../../catalog/list-limits.ts";
import { defaultTasks } from "../../config/schema/defaults.ts";
import type { LimitSettings } from "../../config/schema/settings.ts";
import type { GatewayConfig } from "../../config/upstream-config.ts";
import { withoutUndefined } from "./upstream-entry.ts";

export function subscriptionLimitsOf({ settings }: GatewayConfig): Pick<LimitSettings, "maxWatchedPerCaller"> {
  const { maxWatchedPerCaller } = settings?.limits ?? {};
  return withoutUndefined({ maxWatchedPerCaller });
}

export function listLimitsOf({ settings }: GatewayConfig): Partial<ListLimits> {
  const { maxTools, maxPrompts, maxResources, maxTemplates } = settings?.limits ?? {};
  return withoutUndefined({ maxTools, maxPrompts, maxResources, maxTemplates });
}

export function taskLimitsOf({ settings }: GatewayConfig): TaskBounds {
  const { afterMs, ttlMs, max: maxTasks, maxPerCaller: maxTasksPerCaller } = { ...defaultTasks, ...settings?.tasks };
  return { afterMs, ttlMs, maxTasks, maxTasksPerCaller };
}

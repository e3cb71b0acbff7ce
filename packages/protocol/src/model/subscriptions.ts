// subscriptions/listen (E.2): what a client wants to hear of, and the notifications that tell it.
import type { JsonObject, JsonRpcNotification, RequestId } from "../jsonrpc/message.ts";
import { metaKey } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import { expectObject, expectOptionalBoolean, unexpected } from "./expect.ts";
import { notificationMethod } from "./methods.ts";

/** Absent or false is not wanted (E-10). `taskIds` belongs to the tasks extension (F-23). */
export interface ListenFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
  taskIds?: string[];
}

/** The end of a subscription, sent when the server closes it gracefully (E-16). */
export interface ListenResult extends Result {
  resultType: "complete";
  _meta: JsonObject;
}

export function parseListenFilter(params: JsonObject): ListenFilter {
  const wanted = expectObject(params, "notifications");
  const filter: ListenFilter = {};
  if (expectOptionalBoolean(wanted, "toolsListChanged")) filter.toolsListChanged = true;
  if (expectOptionalBoolean(wanted, "promptsListChanged")) filter.promptsListChanged = true;
  if (expectOptionalBoolean(wanted, "resourcesListChanged")) filter.resourcesListChanged = true;
  const uris = parseStrings(wanted, "resourceSubscriptions");
  if (uris) filter.resourceSubscriptions = uris;
  const taskIds = parseStrings(wanted, "taskIds");
  if (taskIds) filter.taskIds = taskIds;
  return filter;
}

function parseStrings(wanted: JsonObject, member: string): string[] | undefined {
  const value = wanted[member];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw unexpected(`notifications.${member}`, "an array of strings", value);
  }
  return value as string[];
}

/** A notification that is not yet anybody's. */
export interface Told {
  readonly method: string;
  readonly params: JsonObject;
}

const listChanges = [
  ["toolsListChanged", notificationMethod.toolsChanged],
  ["promptsListChanged", notificationMethod.promptsChanged],
  ["resourcesListChanged", notificationMethod.resourcesChanged],
] as const;

/** For who may have missed any change: each one that the filter wants. Of tasks none, for each holds a state (F-23). */
export function toEveryChange(filter: ListenFilter): Told[] {
  const lists = listChanges.flatMap(([flag, method]) => (filter[flag] ? [{ method, params: {} }] : []));
  const updates = (filter.resourceSubscriptions ?? []).map((uri) => {
    return { method: notificationMethod.resourceUpdated, params: { uri } };
  });
  return [...lists, ...updates];
}

/** E-11: the first message of a subscription. */
export function toAcknowledged(subscriptionId: RequestId, honoured: ListenFilter): JsonRpcNotification {
  return withSubscriptionId(notificationMethod.acknowledged, { notifications: honoured }, subscriptionId);
}

/** every notification of a subscription names it; the id keeps its type. */
export function withSubscriptionId(method: string, params: JsonObject, subscriptionId: RequestId): JsonRpcNotification {
  const _meta = { [metaKey.subscriptionId]: subscriptionId };
  // What we add stands before the spread: see ARCHITECTURE.md.
  const named: JsonObject = { _meta, ...params };
  named._meta = _meta;
  return { jsonrpc: "2.0", method, params: named };
}

// subscriptions/listen (E.2): the filter of a subscription, and its notifications.
import type { JsonObject, JsonRpcNotification, RequestId } from "../jsonrpc/message.ts";
import { metaKey } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import { expectObject, expectOptionalBoolean, unexpected } from "./expect.ts";
import { notificationMethod } from "./methods.ts";

// E-10, F-23
/** The changes that a client subscribes to. Absent and false mean no. `taskIds` belongs to the tasks extension. */
export interface ListenFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  resourceSubscriptions?: string[];
  taskIds?: string[];
}

// E-16
/** The result of a subscription that the server closes gracefully. */
export interface ListenResult extends Result {
  resultType: "complete";
  _meta: JsonObject;
}

/** Throws McpError -32602 for malformed params. */
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

/** A change notification without a subscription id. */
export interface Told {
  readonly method: string;
  readonly params: JsonObject;
}

const listChanges = [
  ["toolsListChanged", notificationMethod.toolsChanged],
  ["promptsListChanged", notificationMethod.promptsChanged],
  ["resourcesListChanged", notificationMethod.resourcesChanged],
] as const;

// F-23
/** All change notifications that the filter covers, for a client that may have missed some. Excludes tasks, which carry state. */
export function toEveryChange(filter: ListenFilter): Told[] {
  const lists = listChanges.flatMap(([flag, method]) => (filter[flag] ? [{ method, params: {} }] : []));
  const updates = (filter.resourceSubscriptions ?? []).map((uri) => {
    return { method: notificationMethod.resourceUpdated, params: { uri } };
  });
  return [...lists, ...updates];
}

// E-11
/** The first notification of a subscription: the filter that the server honours. */
export function toAcknowledged(subscriptionId: RequestId, honoured: ListenFilter): JsonRpcNotification {
  return withSubscriptionId(notificationMethod.acknowledged, { notifications: honoured }, subscriptionId);
}

//
/** A notification that names its subscription. The id keeps its type. */
export function withSubscriptionId(method: string, params: JsonObject, subscriptionId: RequestId): JsonRpcNotification {
  const _meta = { [metaKey.subscriptionId]: subscriptionId };
  // The member that we add stands before the spread: see ARCHITECTURE.md.
  const named: JsonObject = { _meta, ...params };
  named._meta = _meta;
  return { jsonrpc: "2.0", method, params: named };
}

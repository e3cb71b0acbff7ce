// The changes that subscribers receive, derived from the notifications of a listen stream (E-13).
import {
  isJsonObject,
  type JsonObject,
  type JsonRpcNotification,
  type ListenFilter,
  notificationMethod,
  toEveryChange,
} from "@lethe/protocol";

/** A change that a subscription reports. */
export type Change = {
  /** True if no notification arrived: the stream was broken, so anything may have changed meanwhile. */
  readonly isSynthetic: boolean;
} & (
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string }
  /** The full state of a task, as tasks/get returns it. */
  | { readonly kind: "task"; readonly taskId: string; readonly task: JsonObject | undefined }
);

/** Undefined for a malformed notification, or one that is no change. */
export function toChange({ method, params = {} }: Pick<JsonRpcNotification, "method" | "params">): Change | undefined {
  const isSynthetic = false;
  switch (method) {
    case notificationMethod.toolsChanged:
      return { kind: "tools", isSynthetic };
    case notificationMethod.promptsChanged:
      return { kind: "prompts", isSynthetic };
    case notificationMethod.resourcesChanged:
      return { kind: "resources", isSynthetic };
    case notificationMethod.resourceUpdated:
      return typeof params.uri === "string" ? { kind: "resource", uri: params.uri, isSynthetic } : undefined;
    case notificationMethod.task:
      return typeof params.taskId === "string"
        ? { kind: "task", taskId: params.taskId, task: params, isSynthetic }
        : undefined;
    default:
      return undefined;
  }
}

// E-13: a notification may name a part of the subscribed resource.
export function isWanted(filter: ListenFilter, change: Change): boolean {
  switch (change.kind) {
    case "tools":
      return filter.toolsListChanged === true;
    case "prompts":
      return filter.promptsListChanged === true;
    case "resources":
      return filter.resourcesListChanged === true;
    case "resource":
      return filter.resourceSubscriptions?.some((uri) => change.uri.startsWith(uri)) === true;
    case "task":
      return filter.taskIds?.includes(change.taskId) === true;
  }
}

/** One change for each entry of the filter, after a time without notifications. */
export function toSyntheticChanges(filter: ListenFilter): Change[] {
  const isSynthetic = true;
  const told = toEveryChange(filter).flatMap((one) => toChange(one) ?? []);
  const tasks = (filter.taskIds ?? []).map(
    (taskId) => ({ kind: "task", taskId, task: undefined, isSynthetic }) as const,
  );
  return [...told.map((change) => ({ ...change, isSynthetic })), ...tasks];
}

// E-11: parses an acknowledgement. Missing members were not granted.
export function toHonoured(params: JsonObject | undefined): ListenFilter {
  const granted = isJsonObject(params?.notifications) ? params.notifications : {};
  const filter: ListenFilter = {};
  if (granted.toolsListChanged === true) filter.toolsListChanged = true;
  if (granted.promptsListChanged === true) filter.promptsListChanged = true;
  if (granted.resourcesListChanged === true) filter.resourcesListChanged = true;
  const uris = toStrings(granted.resourceSubscriptions);
  if (uris) filter.resourceSubscriptions = uris;
  const taskIds = toStrings(granted.taskIds);
  if (taskIds) filter.taskIds = taskIds;
  return filter;
}

function toStrings(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = value.filter((item) => typeof item === "string");
  return strings.length > 0 ? strings : undefined;
}

// What a listening client can hear of (E-13, F-23), as it travels on the bus, and its form on the wire.
import {
  type JsonObject,
  type JsonRpcNotification,
  notificationMethod,
  type RequestId,
  withSubscriptionId,
} from "@lethe/protocol";

/** A list that changed, a resource that was updated, or a task whose full state (F-23) is `task`. Plain JSON. */
export type Change =
  | { kind: "tools" | "prompts" | "resources" }
  | { kind: "resource"; uri: string }
  | { kind: "task"; task: { taskId: string } & JsonObject };

export type ChangeKind = Change["kind"];

/** Names what a change is about: a stream hears the changes of its topics, and two changes of one topic are one. */
export function topicOf(change: Change): string {
  if (change.kind === "resource") return resourceTopic(change.uri);
  return change.kind === "task" ? taskTopic(change.task.taskId) : change.kind;
}

export function resourceTopic(uri: string): string {
  return `resource ${uri}`;
}

export function taskTopic(taskId: string): string {
  return `task ${taskId}`;
}

export function toChangeNotification(change: Change, subscriptionId: RequestId): JsonRpcNotification {
  switch (change.kind) {
    case "tools":
      return withSubscriptionId(notificationMethod.toolsChanged, {}, subscriptionId);
    case "prompts":
      return withSubscriptionId(notificationMethod.promptsChanged, {}, subscriptionId);
    case "resources":
      return withSubscriptionId(notificationMethod.resourcesChanged, {}, subscriptionId);
    case "resource":
      return withSubscriptionId(notificationMethod.resourceUpdated, { uri: change.uri }, subscriptionId);
    case "task":
      return withSubscriptionId(notificationMethod.task, change.task, subscriptionId);
  }
}

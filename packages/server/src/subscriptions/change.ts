// The changes that clients can subscribe to (E-13, F-23), and their notifications.
import {
  type JsonObject,
  type JsonRpcNotification,
  notificationMethod,
  type RequestId,
  withSubscriptionId,
} from "@lethe/protocol";

/** A list that changed, a resource that was updated, or a task whose full state is `task`. Plain JSON. */
export type Change =
  | { kind: "tools" | "prompts" | "resources" }
  | { kind: "resource"; uri: string }
  | { kind: "task"; task: { taskId: string } & JsonObject };

/** The kind of a change: a list, a resource or a task. */
export type ChangeKind = Change["kind"];

/** The topic of a change: a stream gets the changes of its topics, and merges two changes of one topic. */
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

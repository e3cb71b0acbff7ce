// Notifications of 2024-11-05: progress is a number and nothing more (D-29).
import type { JsonRpcNotification } from "../../jsonrpc/message.ts";
import { notificationMethod } from "../../model/method.ts";

export function toLegacyNotification(notification: JsonRpcNotification): JsonRpcNotification {
  if (notification.method !== notificationMethod.progress || notification.params?.message === undefined) {
    return notification;
  }
  const { message: _, ...params } = notification.params;
  return { ...notification, params };
}

// Notifications of 2024-11-05: progress has no message (D-29).
import type { JsonRpcNotification } from "../../jsonrpc/message.ts";
import { notificationMethod } from "../../model/methods.ts";

export { fromServerNotification } from "../2025-03-26/notification.ts";

export function toClientNotification(notification: JsonRpcNotification): JsonRpcNotification {
  if (notification.method !== notificationMethod.progress || notification.params?.message === undefined) {
    return notification;
  }
  const { message: _, ...params } = notification.params;
  return { ...notification, params };
}

// Notifications of 2026-07-28 are those of the model.
import type { JsonRpcNotification } from "../../jsonrpc/message.ts";

export function toClientNotification(notification: JsonRpcNotification): JsonRpcNotification {
  return notification;
}

export function fromServerNotification(notification: JsonRpcNotification): JsonRpcNotification {
  return notification;
}

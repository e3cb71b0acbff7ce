// Unchanged from 2025-06-18: notifications.
export { fromServerNotification, toClientNotification } from "../2025-06-18/notification.ts";

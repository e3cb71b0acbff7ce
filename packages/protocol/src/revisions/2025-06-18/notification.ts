// Unchanged from 2025-11-25: notifications.
export { fromServerNotification, toClientNotification } from "../2025-11-25/notification.ts";

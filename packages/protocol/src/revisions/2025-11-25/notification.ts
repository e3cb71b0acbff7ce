// Unchanged from 2026-07-28: notifications.
export { fromServerNotification, toClientNotification } from "../2026-07-28/notification.ts";

// Which extension a method or a notification belongs to, by its name.

/** Notifications are named like methods, but may begin with this. */
const notificationPrefix = "notifications/";

/** True if the id begins the name (`com.example/reports.list`), or its name is the namespace (`skills/list` of `io.modelcontextprotocol/skills`). */
export function claims(id: string, requested: string): boolean {
  const name = requested.startsWith(notificationPrefix) ? requested.slice(notificationPrefix.length) : requested;
  const isWhole = name.startsWith(id) && !/[\w-]/.test(name.charAt(id.length));
  return isWhole || name.startsWith(`${id.slice(id.indexOf("/") + 1)}/`);
}

// The notifications of clients that no revision defines, by their name.
import { isExtensionMethod, methodInfo } from "../model/methods.ts";

/** The groups of notifications that revisions define, or have defined. */
const coreGroups: ReadonlySet<string> = new Set([
  ...["tools", "prompts", "resources", "roots", "subscriptions", "elicitation", "tasks"],
]);

/** True for a notification of a client that only an extension can define, such as `notifications/com.example/read`. */
export function isExtensionNotification(name: string): boolean {
  if (isExtensionMethod(name)) return methodInfo(name) === undefined;
  const [namespace, group = "", ...rest] = name.split("/");
  return namespace === "notifications" && rest.length > 0 && !coreGroups.has(group);
}

// The grammar of extension ids: reverse DNS, a slash, a name.

const extensionId =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;

/** The maximum length of an id, which bounds the work of checking one. */
const maxLength = 256;

/** True for a name such as `com.example/reports`. Names without a prefix, such as `__proto__`, are not extension ids. */
export function isExtensionId(name: string): boolean {
  return name.length <= maxLength && extensionId.test(name);
}

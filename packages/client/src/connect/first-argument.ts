// Names what is wrong when a method of the client gets an object in place of a name: other libraries take one object.
import { method } from "@lethe/protocol";

const usages: Readonly<Record<string, string>> = {
  [method.callTool]: 'callTool("name", { …arguments })',
  [method.readResource]: 'readResource("uri")',
  [method.getPrompt]: 'getPrompt("name", { …arguments })',
};

/** Throws a TypeError with the right call. */
export function requireText(name: string, value: unknown): void {
  if (typeof value === "string") return;
  const got = value === null || value === undefined ? String(value) : typeof value;
  throw new TypeError(`${name}: a string expected as the first argument, got ${got}: write ${usages[name]}`);
}

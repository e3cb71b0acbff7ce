// Whether a message of a revision later than ours has the shape that the same message has in ours, so that a policy for names and URIs
// applies to it. A message with any other member may mean something else.
import {
  invalidParams,
  type ModernRequest,
  metaKey,
  method,
  methodInfo,
  type Result,
  resourceNotFound,
} from "@lethe/protocol";

const input = ["inputResponses", "requestState"];
const page = ["cursor"];

const knownParams: ReadonlyMap<string, readonly string[]> = new Map([
  [method.discover, []],
  [method.callTool, ["name", "arguments", ...input]],
  [method.getPrompt, ["name", "arguments", ...input]],
  [method.readResource, ["uri", ...input]],
  [method.listTools, page],
  [method.listPrompts, page],
  [method.listResources, page],
  [method.listResourceTemplates, page],
]);

const listMembers: ReadonlyMap<string, string> = new Map([
  [method.listTools, "tools"],
  [method.listPrompts, "prompts"],
  [method.listResources, "resources"],
  [method.listResourceTemplates, "resourceTemplates"],
]);

const knownMeta: ReadonlySet<string> = new Set([
  ...[...Object.values(metaKey), "progressToken"],
  ...["traceparent", "tracestate", "baggage"],
]);

/** The second label of prefixes that only the specification may use. */
const reservedLabels: ReadonlySet<string | undefined> = new Set(["modelcontextprotocol", "mcp"]);

export function hasKnownShape({ method: requested, params, isNotification }: ModernRequest): boolean {
  const known = isNotification ? undefined : knownParams.get(requested);
  if (!known) return false;
  const { _meta, ...own } = params;
  return Object.keys(own).every((name) => known.includes(name)) && Object.keys(_meta).every(isKnownMeta);
}

/** Keys with a prefix of a vendor belong to extensions. */
function isKnownMeta(key: string): boolean {
  if (knownMeta.has(key)) return true;
  const [prefix = "", ...rest] = key.split("/");
  return rest.length > 0 && !reservedLabels.has(prefix.split(".")[1]);
}

/** True for a list whose items a policy hides by name. */
export function isList(requested: string): boolean {
  return listMembers.has(requested);
}

/** Whether a list contains its items and nothing else. */
export function hasKnownListShape(requested: string, result: Result): boolean {
  const member = listMembers.get(requested) ?? "";
  const known = ["resultType", "_meta", "ttlMs", "cacheScope", "nextCursor", member];
  return Array.isArray(result[member]) && Object.keys(result).every((name) => known.includes(name));
}

export interface NamePermissions {
  tool(name: string): boolean;
  prompt(name: string): boolean;
  resource(uri: string): boolean;
}

/** Throws McpError -32602, as for an unknown name, if the caller may not use the target of the request. */
export function requirePermission({ method: requested, params }: ModernRequest, may: NamePermissions): void {
  const target = methodInfo(requested)?.target;
  if (!target || target.kind === "task") return;
  const name = params[target.member];
  if (typeof name === "string" && may[target.kind](name)) return;
  const { kind } = target;
  throw kind === "resource" ? resourceNotFound(String(name)) : invalidParams(`unknown ${kind}: ${String(name)}`);
}

// The methods of the model, each defined once (K): which capability or extension offers it, which param names its target,
// whether it may request input, whether a client may repeat it, and whether its result may be cached.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../meta/capabilities.ts";
import { skillsExtension, tasksExtension } from "./extensions.ts";

/** The names of the methods. */
export const method = {
  discover: "server/discover",
  listTools: "tools/list",
  callTool: "tools/call",
  listPrompts: "prompts/list",
  getPrompt: "prompts/get",
  listResources: "resources/list",
  listResourceTemplates: "resources/templates/list",
  readResource: "resources/read",
  complete: "completion/complete",
  listen: "subscriptions/listen",
  getTask: "tasks/get",
  updateTask: "tasks/update",
  cancelTask: "tasks/cancel",
  listSkills: "skills/list",
  getSkill: "skills/get",
  readDirectory: "resources/directory/read",
} as const;

/** The names of the notifications. */
export const notificationMethod = {
  cancelled: "notifications/cancelled",
  progress: "notifications/progress",
  message: "notifications/message",
  acknowledged: "notifications/subscriptions/acknowledged",
  toolsChanged: "notifications/tools/list_changed",
  promptsChanged: "notifications/prompts/list_changed",
  resourcesChanged: "notifications/resources/list_changed",
  resourceUpdated: "notifications/resources/updated",
  task: "notifications/tasks",
} as const;

/** A kind of thing that a request names. */
export type TargetKind = "tool" | "prompt" | "resource" | "task";

/** One row of the method table. */
export interface MethodInfo {
  /** The server capability that offers the method. A method without capability and extension has its own condition, or none. */
  readonly capability?: "tools" | "prompts" | "resources" | "completions";
  /** The extension that offers the method, under `capabilities.extensions`. */
  readonly extension?: string;
  /** What the request names, and the string member of `params` that names it. */
  readonly target?: { readonly kind: TargetKind; readonly member: "name" | "uri" | "taskId" };
  /** A result may be `input_required`. */
  readonly mayRequestInput?: boolean;
  /** The request changes nothing, so a client may send it again after it lost the answer. */
  readonly isRepeatable?: boolean;
  /** The result carries cache hints. */
  readonly isCacheable?: boolean;
}

const list = { isRepeatable: true, isCacheable: true } as const;
const task = { extension: tasksExtension, target: { kind: "task", member: "taskId" } } as const;

const table: ReadonlyMap<string, MethodInfo> = new Map<string, MethodInfo>([
  [method.discover, list],
  [method.listTools, { ...list, capability: "tools" }],
  [method.callTool, { capability: "tools", target: { kind: "tool", member: "name" }, mayRequestInput: true }],
  [method.listPrompts, { ...list, capability: "prompts" }],
  [
    method.getPrompt,
    { capability: "prompts", target: { kind: "prompt", member: "name" }, mayRequestInput: true, isRepeatable: true },
  ],
  [method.listResources, { ...list, capability: "resources" }],
  [method.listResourceTemplates, { ...list, capability: "resources" }],
  [
    method.readResource,
    { ...list, capability: "resources", target: { kind: "resource", member: "uri" }, mayRequestInput: true },
  ],
  [method.complete, { capability: "completions", isRepeatable: true }],
  [method.listen, {}],
  [method.getTask, { ...task, isRepeatable: true }],
  [method.updateTask, task],
  [method.cancelTask, task],
  // The name of a skill is no target: the extension mirrors no param into a header.
  [method.listSkills, { ...list, extension: skillsExtension }],
  [method.getSkill, { ...list, extension: skillsExtension }],
  [method.readDirectory, { ...list, extension: skillsExtension, capability: "resources" }],
]);

/** The row of the method table; undefined for a method that the model does not know. */
export function methodInfo(name: string): MethodInfo | undefined {
  return table.get(name);
}

/** The name, URI or task id that a request names; undefined for a method without target, and for params without it. */
export function targetNameOf(name: string, params: JsonObject): string | undefined {
  const target = table.get(name)?.target;
  const value = target && params[target.member];
  return typeof value === "string" ? value : undefined;
}

/** Like `targetNameOf`, without task ids: where callers have no identity, a task id is the only protection of its task. */
export function publicTargetOf(name: string, params: JsonObject): string | undefined {
  return table.get(name)?.target?.kind === "task" ? undefined : targetNameOf(name, params);
}

/** True if a server with these capabilities serves the method. True for a method that the model does not know. */
export function isOffered(name: string, capabilities: ServerCapabilities): boolean {
  const info = table.get(name);
  if (!info) return true;
  if (name === method.listen) return offersSubscriptions(capabilities);
  if (info.extension !== undefined) return hasExtension(capabilities, info.extension);
  return info.capability === undefined || capabilities[info.capability] !== undefined;
}

function offersSubscriptions(capabilities: ServerCapabilities): boolean {
  const { tools, prompts, resources } = capabilities;
  return (
    tools?.listChanged === true ||
    prompts?.listChanged === true ||
    resources?.listChanged === true ||
    resources?.subscribe === true ||
    hasExtension(capabilities, tasksExtension)
  );
}

function hasExtension({ extensions }: ServerCapabilities, id: string): boolean {
  const settings: unknown = extensions?.[id];
  return typeof settings === "object" && settings !== null && !Array.isArray(settings);
}

/** True for the methods of the tasks extension. */
export function isTaskMethod(name: string): boolean {
  // F-9
  return table.get(name)?.extension === tasksExtension;
}

/** Namespaces of the core in any revision. */
const coreNamespaces: ReadonlySet<string> = new Set([
  ...["server", "tools", "prompts", "resources", "completion", "subscriptions", "tasks"],
  ...["logging", "sampling", "elicitation", "roots", "notifications"],
]);

/** True for a method that only an extension can define, such as `skills/list`: no revision defines its namespace. */
export function isExtensionMethod(name: string): boolean {
  const end = name.indexOf("/");
  return end > 0 && !coreNamespaces.has(name.slice(0, end)) && !name.startsWith("rpc.");
}

/** True if a result of the method may be `input_required`. */
export function isInputMethod(name: string): boolean {
  // E-20
  return table.get(name)?.mayRequestInput === true;
}

/** True if a client may send the request again after it lost the answer. */
export function isRepeatable(name: string): boolean {
  return table.get(name)?.isRepeatable === true;
}

/** True if a result of the method carries cache hints. */
export function isCacheable(name: string): boolean {
  // E-50
  return table.get(name)?.isCacheable === true;
}

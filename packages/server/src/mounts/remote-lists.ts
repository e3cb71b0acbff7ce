// Reads the lists of a mounted server that is not of this process, and makes definitions of their items.
import {
  type Dispatch,
  declaresTasks,
  type Exchange,
  errorCode,
  isDiscoverResult,
  isJsonObject,
  isMcpError,
  type JsonObject,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  method,
  modelRevision,
  type Prompt,
  parseParamHeaders,
  type Resource,
  type ResourceTemplate,
  type Result,
  type ServerCapabilities,
  type Tool,
} from "@lethe/protocol";
import { createFeature, type FeatureKind } from "../features/feature.ts";
import type { Forward } from "../features/forward.ts";
import type { PromptDefinition } from "../features/prompt.ts";
import type { ResourceDefinition } from "../features/resource.ts";
import type { ResourceTemplateDefinition } from "../features/resource-template.ts";
import { requireToolName, type ToolDefinition } from "../features/tool.ts";
import { parseUriTemplate } from "../features/uri-template.ts";

/** A list with more pages is cut, because a server could send pages forever. */
const maxPages = 100;
/** Further items of a list are left out. */
const maxItems = 10_000;

export interface RemoteLists {
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly ToolDefinition[];
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly resourceTemplates: readonly ResourceTemplateDefinition[];
  /** In ms: for how long the server promises no change. */
  readonly ttlMs: number;
}

export interface RemoteOptions {
  readonly dispatch: Dispatch;
  /** The prefix, for messages. */
  readonly mount: string;
  readonly signal: AbortSignal;
  onProblem(problem: string): void;
}

/** Rejects with the error of the server. An invalid item is reported and left out. */
export async function readRemoteLists(options: RemoteOptions): Promise<RemoteLists> {
  const { dispatch, mount, signal, onProblem } = options;
  let ttlMs = Number.POSITIVE_INFINITY;
  const ask = async (name: string, params: JsonObject = {}): Promise<Result> => {
    signal.throwIfAborted();
    const result = await dispatch(toOwnRequest(name, params), createOwnExchange(signal));
    ttlMs = Math.min(ttlMs, Number(result.ttlMs) || 0);
    return result;
  };
  const discovered = await ask(method.discover);
  if (!isDiscoverResult(discovered)) throw new Error(`no valid answer to ${method.discover}`);
  const { capabilities } = discovered;
  const completes = capabilities.completions !== undefined;
  const forwards = { dispatch, mount, completes, hasTasks: declaresTasks(capabilities), isLocal: false };
  const toAll = <D>(items: readonly JsonObject[], toDefinition: (item: JsonObject) => D): D[] =>
    items.flatMap((item) => {
      try {
        return [toDefinition(item)];
      } catch (error) {
        onProblem(error instanceof Error ? error.message : String(error));
        return [];
      }
    });
  const read = (offered: unknown, name: string, member: string): Promise<JsonObject[]> =>
    offered === undefined ? Promise.resolve([]) : readPages((params) => ask(name, params), member, onProblem);
  const { tools, prompts, resources } = capabilities;
  const [toolItems, promptItems, resourceItems, templateItems] = await Promise.all([
    read(tools, method.listTools, "tools"),
    read(prompts, method.listPrompts, "prompts"),
    read(resources, method.listResources, "resources"),
    read(resources, method.listResourceTemplates, "resourceTemplates").catch(withoutTemplates),
  ]);
  return {
    capabilities,
    tools: toAll(toolItems, (item) => toTool(item, forwards)),
    prompts: toAll(promptItems, (item) => toPrompt(item, forwards)),
    resources: toAll(resourceItems, (item) => toResource(item, forwards)),
    resourceTemplates: toAll(templateItems, (item) => toTemplate(item, forwards)),
    ttlMs,
  };
}

/** Servers with resources but without templates often lack the method. */
function withoutTemplates(error: unknown): JsonObject[] {
  if (isMcpError(error) && error.code === errorCode.methodNotFound) return [];
  throw error;
}

async function readPages(
  ask: (params: JsonObject) => Promise<Result>,
  member: string,
  onProblem: (problem: string) => void,
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let params: JsonObject = {};
  for (let page = 0; page < maxPages; page += 1) {
    const result = await ask(params);
    const listed = Array.isArray(result[member]) ? (result[member] as unknown[]) : [];
    items.push(...listed.filter(isJsonObject).slice(0, maxItems - items.length));
    if (typeof result.nextCursor !== "string") return items;
    if (items.length >= maxItems) break;
    params = { cursor: result.nextCursor };
  }
  onProblem(`its list of ${member} is cut after ${items.length} items`);
  return items;
}

/** The members of `Forward` that all features of the server share. */
type Forwards = Omit<Forward, "ownName">;

const neverRuns = (): Promise<never> => Promise.reject(new Error("the mounted server answers"));

function toTool(item: JsonObject, forwards: Forwards): ToolDefinition {
  const name = requireToolName(textOf(item, "tool", "name"));
  if (!isJsonObject(item.inputSchema)) throw new Error(`tool ${JSON.stringify(name)}: an inputSchema expected`);
  const tool = item as unknown as Tool;
  return {
    tool,
    feature: toFeature("tool", name, item),
    paramHeaders: parseParamHeaders(tool.inputSchema),
    task: { mode: "never" },
    forward: { ...forwards, ownName: name },
    validateInput: (args) => ({ value: args }),
    run: neverRuns,
  };
}

function toPrompt(item: JsonObject, forwards: Forwards): PromptDefinition {
  const name = textOf(item, "prompt", "name");
  return {
    prompt: item as unknown as Prompt,
    feature: toFeature("prompt", name, item),
    completers: new Map(),
    forward: { ...forwards, ownName: name },
    validateInput: (args) => Promise.resolve(args),
    run: neverRuns,
  };
}

function toResource(item: JsonObject, forwards: Forwards): ResourceDefinition {
  const uri = textOf(item, "resource", "uri");
  const resource = { ...item, name: typeof item.name === "string" ? item.name : uri } as unknown as Resource;
  return {
    resource,
    feature: toFeature("resource", uri, item),
    forward: { ...forwards, ownName: uri },
    read: neverRuns,
  };
}

function toTemplate(item: JsonObject, forwards: Forwards): ResourceTemplateDefinition {
  const template = textOf(item, "resource template", "uriTemplate");
  const name = typeof item.name === "string" ? item.name : template;
  return {
    resourceTemplate: { ...item, name } as unknown as ResourceTemplate,
    feature: toFeature("resourceTemplate", template, item),
    uriTemplate: parseUriTemplate(template),
    completers: new Map(),
    forward: { ...forwards, ownName: template },
    read: neverRuns,
  };
}

function toFeature(kind: FeatureKind, name: string, { _meta, inputSchema }: JsonObject) {
  return createFeature(
    kind,
    name,
    isJsonObject(_meta) ? { _meta } : {},
    isJsonObject(inputSchema) ? inputSchema : undefined,
  );
}

function textOf(item: JsonObject, kind: string, member: string): string {
  const value = item[member];
  if (typeof value !== "string" || value === "") throw new Error(`a ${kind} without ${member} is left out`);
  return value;
}

/** What a caller may support: a server may offer more to such a client. */
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };

/** A request that no caller sent. */
export function toOwnRequest(name: string, params: JsonObject): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: capabilities };
  lastId += 1;
  return { id: `mount-${lastId}`, method: name, params: { ...params, _meta } as unknown as ModernRequest["params"] };
}

let lastId = 0;

/** The exchange of such a request. */
export function createOwnExchange(
  signal: AbortSignal,
  onNotification?: (notification: JsonRpcNotification) => void,
): Exchange {
  return {
    signal,
    caller: undefined,
    notify(notification) {
      onNotification?.(notification);
      return true;
    },
    drained: () => Promise.resolve(),
  };
}

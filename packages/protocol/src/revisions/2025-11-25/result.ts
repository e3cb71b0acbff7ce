// Results of 2025-11-25: no result type and no cache hints. Structured content is an object, and so is its schema (S-2106).
import { taskSupportOf, withTaskSupport } from "../../dispatch/task-augmentation.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Implementation } from "../../meta/capabilities.ts";
import { metaKey } from "../../meta/keys.ts";
import type { Result } from "../../meta/result.ts";
import { isCacheable, method } from "../../model/methods.ts";
import type { Tool } from "../../model/tools.ts";

export function toClientResult(calledMethod: string, result: Result): JsonObject {
  const legacy = toResultWithoutTasks(calledMethod, result);
  return calledMethod === method.listTools ? withExecution(legacy) : legacy;
}

/** The result for revisions that have no tasks. */
export function toResultWithoutTasks(calledMethod: string, result: Result): JsonObject {
  const { resultType: _, ttlMs: __, cacheScope: ___, _meta, ...own } = result;
  const meta = withoutServerInfo(_meta);
  const legacy: JsonObject = meta === undefined ? own : { _meta: meta, ...own };
  if (calledMethod === method.callTool) return withObjectContent(legacy);
  if (calledMethod === method.listTools && Array.isArray(legacy.tools)) legacy.tools = legacy.tools.map(toClientTool);
  return legacy;
}

/** Undefined if nothing else is left. */
function withoutServerInfo(meta: unknown): unknown {
  if (!isJsonObject(meta) || !(metaKey.serverInfo in meta)) return meta;
  const { [metaKey.serverInfo]: _, ...rest } = meta;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

// E-69
/** Replaces structured content that is not an object by text: the author's own, or its JSON if there is none. */
function withObjectContent(result: JsonObject): JsonObject {
  if (!("structuredContent" in result) || isJsonObject(result.structuredContent)) return result;
  const { structuredContent, ...rest } = result;
  if (!Array.isArray(rest.content) || rest.content.length > 0 || structuredContent === undefined) return rest;
  return { ...rest, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}

//
/** Input schemas are sent unchanged. */
function toClientTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool.outputSchema) || tool.outputSchema.type === "object") return tool;
  const { outputSchema: _, ...rest } = tool;
  return rest;
}

/** Lists for each tool whether it can run as a task. */
function withExecution(legacy: JsonObject): JsonObject {
  if (!Array.isArray(legacy.tools)) return legacy;
  const tools = legacy.tools.map((tool: unknown) => {
    const taskSupport = isJsonObject(tool) ? taskSupportOf(tool) : undefined;
    return taskSupport === undefined ? tool : { ...(tool as JsonObject), execution: { taskSupport } };
  });
  return { ...legacy, tools };
}

// E-50
/** A server of this revision states no lifetime and no audience, so its results are stale at once and private. */
export function fromServerResult(
  calledMethod: string,
  legacy: JsonObject,
  serverInfo: Implementation | undefined,
): Result {
  // The member that we add stands first: V8 of Node 20 takes 30 times as long for a member that comes after a spread.
  const result: Result = { resultType: "complete", ...legacy };
  result.resultType = "complete";
  if (isCacheable(calledMethod)) {
    result.ttlMs = 0;
    result.cacheScope = "private";
  }
  if (calledMethod === method.callTool && !Array.isArray(result.content)) result.content = [];
  if (calledMethod === method.listTools && Array.isArray(result.tools)) result.tools = result.tools.map(fromServerTool);
  if (result._meta !== undefined && !isJsonObject(result._meta)) delete result._meta;
  if (serverInfo) result._meta = withServerInfo(result._meta, serverInfo);
  return result;
}

function withServerInfo(meta: JsonObject | undefined, serverInfo: Implementation): JsonObject {
  const named: JsonObject = { [metaKey.serverInfo]: serverInfo, ...meta };
  named[metaKey.serverInfo] = serverInfo;
  return named;
}

// D-38, A-53
/**
 * Moves `execution.taskSupport` into a mark that stays in this process, because callers of the model never see it. The
 * schemas stay unchanged.
 */
function fromServerTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !("execution" in tool)) return tool;
  const { execution, ...rest } = tool;
  const support = isJsonObject(execution) ? execution.taskSupport : undefined;
  if (support === "optional" || support === "required") withTaskSupport(rest as unknown as Tool, support);
  return rest;
}

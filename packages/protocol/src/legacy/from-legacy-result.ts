// The result of a legacy server, as a modern caller takes it (D-51). Content blocks of every revision stay what they are.
import { withTaskSupport } from "../dispatch/task-augmentation.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../meta/capabilities.ts";
import { metaKey } from "../meta/keys.ts";
import type { Result } from "../meta/result.ts";
import { method } from "../model/method.ts";
import type { Tool } from "../model/tools.ts";

/** E-50. Nothing says how long a legacy answer holds, or for whom: it is stale at once and for its caller only. */
const cacheable: ReadonlySet<string> = new Set([
  method.listTools,
  method.listPrompts,
  method.listResources,
  method.listResourceTemplates,
  method.readResource,
]);

export function fromLegacyResult(
  calledMethod: string,
  legacy: JsonObject,
  serverInfo: Implementation | undefined,
): Result {
  // What we add stands first: V8 of Node 20 takes 30 times as long for a member that comes after a spread.
  const result: Result = { resultType: "complete", ...legacy };
  result.resultType = "complete";
  if (cacheable.has(calledMethod)) {
    result.ttlMs = 0;
    result.cacheScope = "private";
  }
  if (calledMethod === method.callTool && !Array.isArray(result.content)) result.content = [];
  if (calledMethod === method.listTools && Array.isArray(result.tools)) result.tools = result.tools.map(toModernTool);
  if (result._meta !== undefined && !isJsonObject(result._meta)) delete result._meta;
  if (serverInfo) result._meta = withServerInfo(result._meta, serverInfo);
  return result;
}

function withServerInfo(meta: JsonObject | undefined, serverInfo: Implementation): JsonObject {
  const named: JsonObject = { [metaKey.serverInfo]: serverInfo, ...meta };
  named[metaKey.serverInfo] = serverInfo;
  return named;
}

/**
 * `execution` spoke of core tasks (D-38), which a modern caller never sees: it is a mark that stays in this process. The
 * schemas are not touched.
 */
function toModernTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !("execution" in tool)) return tool;
  const { execution, ...modern } = tool;
  const support = isJsonObject(execution) ? execution.taskSupport : undefined;
  if (support === "optional" || support === "required") withTaskSupport(modern as unknown as Tool, support);
  return modern;
}

// Results of 2025-11-25: structured content is an object, and so is what an output schema describes (S-2106).
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { metaKey } from "../../meta/keys.ts";
import type { Result } from "../../meta/result.ts";
import { method } from "../../model/method.ts";

export function toLegacyResult(calledMethod: string, result: Result): JsonObject {
  const { resultType: _, ttlMs: __, cacheScope: ___, _meta, ...own } = result;
  const meta = withoutServerInfo(_meta);
  const legacy: JsonObject = meta === undefined ? own : { _meta: meta, ...own };
  if (calledMethod === method.callTool) return withObjectContent(legacy);
  if (calledMethod === method.listTools && Array.isArray(legacy.tools)) legacy.tools = legacy.tools.map(toLegacyTool);
  return legacy;
}

/** Undefined when nothing else is left. */
function withoutServerInfo(meta: unknown): unknown {
  if (!isJsonObject(meta) || !(metaKey.serverInfo in meta)) return meta;
  const { [metaKey.serverInfo]: _, ...rest } = meta;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** A value that is no object stays as text: the author's own, or its JSON when there is none (E-69). */
function withObjectContent(result: JsonObject): JsonObject {
  if (!("structuredContent" in result) || isJsonObject(result.structuredContent)) return result;
  const { structuredContent, ...rest } = result;
  if (!Array.isArray(rest.content) || rest.content.length > 0 || structuredContent === undefined) return rest;
  return { ...rest, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}

/** Input schemas go out untouched. */
function toLegacyTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool.outputSchema) || tool.outputSchema.type === "object") return tool;
  const { outputSchema: _, ...rest } = tool;
  return rest;
}

// Results of 2025-03-26: tools answer with content blocks alone, and a resource link is told in words.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Result } from "../../meta/result.ts";
import { method } from "../../model/method.ts";
import { toLegacyResult as toNewer } from "../2025-11-25/result.ts";
import { mapContent } from "../map-content.ts";

export function toLegacyResult(calledMethod: string, result: Result): JsonObject {
  const legacy = mapContent(calledMethod, toNewer(calledMethod, result), toLegacyBlock);
  if (calledMethod === method.callTool) return withoutStructure(legacy);
  if (calledMethod === method.listTools && Array.isArray(legacy.tools)) {
    return { ...legacy, tools: legacy.tools.map(toLegacyTool) };
  }
  return legacy;
}

function withoutStructure(result: JsonObject): JsonObject {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined || !Array.isArray(rest.content) || rest.content.length > 0) return rest;
  return { ...rest, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}

/** The title had its place among the annotations. */
function toLegacyTool(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { outputSchema: _, ...rest } = tool;
  const { title, annotations } = rest;
  return title === undefined
    ? rest
    : { ...rest, annotations: isJsonObject(annotations) ? { title, ...annotations } : { title } };
}

/** Clients of this revision refuse a whole result over a block of an unknown kind. */
function toLegacyBlock(block: JsonObject): JsonObject {
  if (block.type !== "resource_link") return block;
  const { annotations, uri, name, title = name, description } = block;
  const text = `${title}: ${uri}${description === undefined ? "" : ` (${description})`}`;
  return annotations === undefined ? { type: "text", text } : { type: "text", text, annotations };
}

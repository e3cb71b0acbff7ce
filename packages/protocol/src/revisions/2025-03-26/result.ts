// Results of 2025-03-26: no structured content and no resource links. Both become text.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Result } from "../../meta/result.ts";
import { method } from "../../model/methods.ts";
import { toClientResult as toNewer } from "../2025-06-18/result.ts";
import { mapContent } from "../handshake/map-content.ts";

export { fromServerResult } from "../2025-06-18/result.ts";

export function toClientResult(calledMethod: string, result: Result): JsonObject {
  const legacy = mapContent(calledMethod, toNewer(calledMethod, result), toClientBlock);
  if (calledMethod === method.callTool) return withoutStructuredContent(legacy);
  if (calledMethod === method.listTools && Array.isArray(legacy.tools)) {
    return { ...legacy, tools: legacy.tools.map(toClientTool) };
  }
  return legacy;
}

function withoutStructuredContent(result: JsonObject): JsonObject {
  const { structuredContent, ...rest } = result;
  if (structuredContent === undefined || !Array.isArray(rest.content) || rest.content.length > 0) return rest;
  return { ...rest, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}

/** Moves the title to the annotations. */
function toClientTool(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { outputSchema: _, ...rest } = tool;
  const { title, annotations } = rest;
  return title === undefined
    ? rest
    : { ...rest, annotations: isJsonObject(annotations) ? { title, ...annotations } : { title } };
}

/** Clients of this revision reject a result that holds a block of an unknown type. */
function toClientBlock(block: JsonObject): JsonObject {
  if (block.type !== "resource_link") return block;
  const { annotations, uri, name, title = name, description } = block;
  const text = `${title}: ${uri}${description === undefined ? "" : ` (${description})`}`;
  return annotations === undefined ? { type: "text", text } : { type: "text", text, annotations };
}

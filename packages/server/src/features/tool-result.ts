// Converts the return value of a tool handler to a result of tools/call (E-68, E-69).
import { type CallToolResult, isJsonObject, type JsonObject } from "@lethe/protocol";
import { isContentBlock } from "./content.ts";
import { toIssueText } from "./issue-text.ts";
import type { Check } from "./json-check.ts";

const resultMembers: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

/** Without an output schema, the type of the value decides. */
export function toToolResult(returned: unknown): CallToolResult {
  if (typeof returned === "string") return { resultType: "complete", content: [{ type: "text", text: returned }] };
  if (returned === undefined) return { resultType: "complete", content: [] };
  if (isFullResult(returned)) return toComplete(returned);
  if (isContentBlock(returned)) return { resultType: "complete", content: [returned] };
  if (Array.isArray(returned) && returned.length > 0 && returned.every(isContentBlock)) {
    return { resultType: "complete", content: returned };
  }
  return toStructured(returned);
}

/**
 * With an output schema, the value is structured content, unless it is a full result with its own structured content
 * (or with an error). Throws an Error if the schema rejects it.
 */
export async function toCheckedToolResult(returned: unknown, check: Check): Promise<CallToolResult> {
  if (!isFullResult(returned)) return toStructured(await accepted(returned, check));
  if (returned.isError === true) return toComplete(returned);
  if (!("structuredContent" in returned)) return toStructured(await accepted(returned, check));
  const structuredContent = await accepted(returned.structuredContent, check);
  return toComplete({ ...returned, structuredContent });
}

async function accepted(value: unknown, check: Check): Promise<unknown> {
  const checked = await check(value);
  if (checked.issues === undefined) return checked.value;
  throw new Error(`the result of the tool does not match its output schema: ${toIssueText(checked.issues)}`);
}

/** Our members come before the spread: see ARCHITECTURE.md. */
function toComplete(returned: JsonObject): CallToolResult {
  const result: JsonObject = { resultType: "complete", ...returned };
  result.resultType = "complete";
  return result as unknown as CallToolResult;
}

/** Structured content, and its JSON as text for clients that do not read it. */
function toStructured(structuredContent: unknown): CallToolResult {
  const text = JSON.stringify(structuredContent);
  if (text === undefined) throw new Error(`a tool must return JSON, got a ${typeof structuredContent}`);
  return { resultType: "complete", content: [{ type: "text", text }], structuredContent };
}

/** Only members of a result, with valid content blocks: an author's data hardly ever looks like this. */
function isFullResult(value: unknown): value is CallToolResult & JsonObject {
  if (!isJsonObject(value) || !Array.isArray(value.content) || !value.content.every(isContentBlock)) return false;
  for (const member in value) if (!resultMembers.has(member)) return false;
  return true;
}

// Maps the content blocks of a result (E-68): those of tools/call, and those in the messages of prompts/get.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { method } from "../../model/methods.ts";

/** Returns `result` itself if it has no content blocks. */
export function mapContent(
  calledMethod: string,
  result: JsonObject,
  toBlock: (block: JsonObject) => JsonObject,
): JsonObject {
  const map = (block: unknown): unknown => (isJsonObject(block) ? toBlock(block) : block);
  if (calledMethod === method.callTool && Array.isArray(result.content)) {
    return { ...result, content: result.content.map(map) };
  }
  if (calledMethod === method.getPrompt && Array.isArray(result.messages)) {
    const messages = result.messages.map((message) =>
      isJsonObject(message) ? { ...message, content: map(message.content) } : message,
    );
    return { ...result, messages };
  }
  return result;
}

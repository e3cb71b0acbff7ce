// Checks the messages of a sampling request before a model gets them.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** Describes the first problem; undefined for a valid request. */
export function checkSampling(params: unknown): string | undefined {
  if (!isJsonObject(params) || !Array.isArray(params.messages)) return "no messages";
  if (typeof params.maxTokens !== "number") return "no maxTokens";
  let unanswered: readonly unknown[] = [];
  for (const message of params.messages) {
    const blocks = blocksOf(message);
    if (!blocks) return "a message without content";
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length) return "tool results mixed with other content";
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    if (unanswered.some((id) => !answered.has(id))) return "a tool use without its result";
    unanswered = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  }
  return undefined;
}

/** E-97: the content is one block or a list of blocks. */
function blocksOf(message: unknown): JsonObject[] | undefined {
  if (!isJsonObject(message)) return undefined;
  const blocks = Array.isArray(message.content) ? message.content : [message.content];
  return blocks.every(isJsonObject) ? blocks : undefined;
}

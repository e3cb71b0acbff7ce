// Checks that the messages of a sampling request hold together (E-95, E-97) before a model is asked.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** What is wrong, in words; undefined for a request that can be put to a model. */
export function checkSampling(params: unknown): string | undefined {
  if (!isJsonObject(params) || !Array.isArray(params.messages)) return "no messages";
  if (typeof params.maxTokens !== "number") return "no maxTokens";
  let unanswered: readonly unknown[] = [];
  for (const message of params.messages) {
    const blocks = blocksOf(message);
    if (!blocks) return "a message without content";
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length) return "tool results mixed with other content";
    const answered = results.map(({ toolUseId }) => toolUseId);
    if (unanswered.some((id) => !answered.includes(id))) return "a tool use without its result";
    unanswered = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  }
  return undefined;
}

/** E-97: the content is one block or several. */
function blocksOf(message: unknown): JsonObject[] | undefined {
  if (!isJsonObject(message)) return undefined;
  const blocks = Array.isArray(message.content) ? message.content : [message.content];
  return blocks.every(isJsonObject) ? blocks : undefined;
}

// Converts the return value of a prompt handler to a result of prompts/get (E-82).
import type { GetPromptResult, JsonObject, PromptMessage } from "@lethe/protocol";

type Returned =
  | string
  | PromptMessage
  | PromptMessage[]
  | { description?: string; messages: PromptMessage[]; _meta?: JsonObject };

export function toPromptResult(returned: Returned, description: string | undefined): GetPromptResult {
  const described = description === undefined ? {} : { description };
  if (typeof returned === "string") {
    const message: PromptMessage = { role: "user", content: { type: "text", text: returned } };
    return { resultType: "complete", ...described, messages: [message] };
  }
  if (Array.isArray(returned)) return { resultType: "complete", ...described, messages: returned };
  if ("messages" in returned) return toComplete(returned, description);
  return { resultType: "complete", ...described, messages: [returned] };
}

/** Our members come before the spread: see ARCHITECTURE.md. */
function toComplete(returned: JsonObject, description: string | undefined): GetPromptResult {
  const result: JsonObject =
    description === undefined
      ? { resultType: "complete", ...returned }
      : { resultType: "complete", description, ...returned };
  result.resultType = "complete";
  return result as unknown as GetPromptResult;
}

// What a prompt's handler returned, as a result of prompts/get (E-82).
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
  if ("messages" in returned) return { ...described, ...returned, resultType: "complete" };
  return { resultType: "complete", ...described, messages: [returned] };
}

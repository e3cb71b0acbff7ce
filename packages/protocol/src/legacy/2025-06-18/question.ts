// Questions of 2025-06-18: forms without a mode, and one block of content in each sampling message.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../model/input.ts";
import type { SamplingMessage } from "../../model/sampling.ts";
import { toLegacyQuestion as toNewer } from "../2025-11-25/question.ts";
import type { LegacyQuestion } from "../revision-codec.ts";
import { fromLegacyContent, toLegacyForm } from "./form.ts";

export function toLegacyQuestion(question: InputRequest, elicitationId: string): LegacyQuestion {
  if (question.method === "sampling/createMessage") {
    const { params } = question;
    return { method: question.method, params: { ...params, messages: params.messages.flatMap(toSingleBlocks) } };
  }
  if (question.method === "roots/list" || question.params.mode === "url") return toNewer(question, elicitationId);
  const { message, requestedSchema } = question.params;
  return { method: question.method, params: { message, requestedSchema: toLegacyForm(requestedSchema) } };
}

export function fromLegacyAnswer(question: InputRequest, answer: JsonObject): JsonObject {
  if (question.method !== "elicitation/create" || question.params.mode === "url") return answer;
  if (!isJsonObject(answer.content)) return answer;
  return { ...answer, content: fromLegacyContent(question.params.requestedSchema, answer.content) };
}

function toSingleBlocks(message: SamplingMessage): SamplingMessage[] {
  return Array.isArray(message.content) ? message.content.map((content) => ({ ...message, content })) : [message];
}

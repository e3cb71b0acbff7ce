// Questions of 2025-11-25: the form mode has a name, and a question by URL has an id (D-39).
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../model/input.ts";
import type { LegacyQuestion } from "../revision-codec.ts";

export function toLegacyQuestion(question: InputRequest, elicitationId: string): LegacyQuestion {
  const { method, params } = question;
  if (method === "roots/list") return params ? { method, params } : { method };
  if (method === "sampling/createMessage") return { method, params: { ...params } };
  if (params.mode === "url") return { method, params: { ...params, elicitationId } };
  return { method, params: { ...params, mode: "form" } };
}

export function fromLegacyAnswer(_question: InputRequest, answer: JsonObject): JsonObject {
  return answer;
}

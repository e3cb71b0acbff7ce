// Questions of 2024-11-05: sampling takes text and images.
import type { InputRequest } from "../../model/input.ts";
import type { SamplingMessage } from "../../model/sampling.ts";
import { toLegacyQuestion as toNewer } from "../2025-06-18/question.ts";
import type { LegacyQuestion } from "../revision-codec.ts";

export function toLegacyQuestion(question: InputRequest, elicitationId: string): LegacyQuestion {
  const legacy = toNewer(question, elicitationId);
  const messages = legacy.params?.messages;
  if (!Array.isArray(messages)) return legacy;
  return { ...legacy, params: { ...legacy.params, messages: messages.map(withoutAudio) } };
}

/** A message holds one block, so there is no place to keep the sound in. */
function withoutAudio(message: SamplingMessage): SamplingMessage {
  const { content } = message;
  if (Array.isArray(content) || content.type !== "audio") return message;
  return { ...message, content: { type: "text", text: `[${content.mimeType} left out]` } };
}

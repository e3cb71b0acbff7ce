// Sampling requests of 2024-11-05: text and images, no audio.
import type { InputRequest } from "../../model/input.ts";
import type { SamplingMessage } from "../../model/sampling.ts";
import { toClientInputRequest as toNewer } from "../2025-03-26/input-request.ts";
import type { ServerRequest } from "../revision.ts";

export { fromClientInputResponse, fromServerInputRequest } from "../2025-03-26/input-request.ts";

export function toClientInputRequest(request: InputRequest, elicitationId: string): ServerRequest {
  const legacy = toNewer(request, elicitationId);
  const messages = legacy.params?.messages;
  if (!Array.isArray(messages)) return legacy;
  return { ...legacy, params: { ...legacy.params, messages: messages.map(withoutAudio) } };
}

/** A message holds one block, so there is no other block to carry the audio. */
function withoutAudio(message: SamplingMessage): SamplingMessage {
  const { content } = message;
  if (Array.isArray(content) || content.type !== "audio") return message;
  return { ...message, content: { type: "text", text: `[${content.mimeType} left out]` } };
}

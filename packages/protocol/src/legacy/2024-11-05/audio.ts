// Audio before it was a kind of content: an embedded resource, which says what it is and loses nothing.
import type { JsonObject } from "../../jsonrpc/message.ts";

export function toEmbeddedAudio(block: JsonObject): JsonObject {
  if (block.type !== "audio") return block;
  const { annotations, data, mimeType } = block;
  const resource = { uri: "audio:inline", mimeType, blob: data };
  return annotations === undefined ? { type: "resource", resource } : { type: "resource", resource, annotations };
}

// Results of 2024-11-05: no audio content. It becomes an embedded resource, which loses nothing.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Result } from "../../meta/result.ts";
import { toClientResult as toNewer } from "../2025-03-26/result.ts";
import { mapContent } from "../handshake/map-content.ts";

export { fromServerResult } from "../2025-03-26/result.ts";

export function toClientResult(calledMethod: string, result: Result): JsonObject {
  return mapContent(calledMethod, toNewer(calledMethod, result), toEmbeddedAudio);
}

function toEmbeddedAudio(block: JsonObject): JsonObject {
  if (block.type !== "audio") return block;
  const { annotations, data, mimeType } = block;
  const resource = { uri: "audio:inline", mimeType, blob: data };
  return annotations === undefined ? { type: "resource", resource } : { type: "resource", resource, annotations };
}

// Results of 2024-11-05: no audio.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Result } from "../../meta/result.ts";
import { toLegacyResult as toNewer } from "../2025-03-26/result.ts";
import { mapContent } from "../map-content.ts";
import { toEmbeddedAudio } from "./audio.ts";

export function toLegacyResult(calledMethod: string, result: Result): JsonObject {
  return mapContent(calledMethod, toNewer(calledMethod, result), toEmbeddedAudio);
}

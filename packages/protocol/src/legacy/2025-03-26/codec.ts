// 2025-03-26: batches; no elicitation, no structured content, no resource links.
import { codec as newer } from "../2025-06-18/codec.ts";
import type { RevisionCodec } from "../revision-codec.ts";
import { toModernCapabilities } from "./capabilities.ts";
import { toLegacyResult } from "./result.ts";

export const codec: RevisionCodec = {
  ...newer,
  revision: "2025-03-26",
  hasBatches: true,
  toModernCapabilities,
  toLegacyResult,
};

// 2025-06-18: forms of single fields only, and sampling without tools.
import { codec as newer } from "../2025-11-25/codec.ts";
import type { RevisionCodec } from "../revision-codec.ts";
import { toModernCapabilities } from "./capabilities.ts";
import { fromLegacyAnswer, toLegacyQuestion } from "./question.ts";

export const codec: RevisionCodec = {
  ...newer,
  revision: "2025-06-18",
  hasFirstEventId: false,
  toModernCapabilities,
  toLegacyQuestion,
  fromLegacyAnswer,
};

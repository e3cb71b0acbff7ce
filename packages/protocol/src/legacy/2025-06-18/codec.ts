// 2025-06-18: forms of single fields only, sampling without tools, and no tasks.
import { toLegacyCapabilities } from "../2025-11-25/capabilities.ts";
import { codec as newer } from "../2025-11-25/codec.ts";
import { toLegacyResult } from "../2025-11-25/result.ts";
import type { RevisionCodec } from "../revision-codec.ts";
import { toModernCapabilities } from "./capabilities.ts";
import { fromLegacyAnswer, toLegacyQuestion } from "./question.ts";

export const codec: RevisionCodec = {
  ...newer,
  revision: "2025-06-18",
  hasFirstEventId: false,
  hasTasks: false,
  toModernCapabilities,
  toLegacyCapabilities,
  toLegacyResult,
  toLegacyQuestion,
  fromLegacyAnswer,
};

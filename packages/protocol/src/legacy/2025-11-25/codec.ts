// 2025-11-25: today's features over a session, without what today's results say about themselves (D.4/7).
import type { RevisionCodec } from "../revision-codec.ts";
import { toLegacyCapabilities, toModernCapabilities } from "./capabilities.ts";
import { fromLegacyAnswer, toLegacyQuestion } from "./question.ts";
import { toLegacyResult } from "./result.ts";

export const codec: RevisionCodec = {
  revision: "2025-11-25",
  hasBatches: false,
  hasFirstEventId: true,
  toModernCapabilities,
  toLegacyCapabilities,
  toLegacyResult,
  toLegacyQuestion,
  fromLegacyAnswer,
  toLegacyNotification: (notification) => notification,
};

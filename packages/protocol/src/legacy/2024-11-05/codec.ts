// 2024-11-05: text, images and embedded resources; completion without a capability.
import { codec as newer } from "../2025-03-26/codec.ts";
import type { RevisionCodec } from "../revision-codec.ts";
import { toLegacyCapabilities } from "./capabilities.ts";
import { toLegacyNotification } from "./notification.ts";
import { toLegacyQuestion } from "./question.ts";
import { toLegacyResult } from "./result.ts";

export const codec: RevisionCodec = {
  ...newer,
  revision: "2024-11-05",
  hasBatches: false,
  toLegacyCapabilities,
  toLegacyResult,
  toLegacyQuestion,
  toLegacyNotification,
};

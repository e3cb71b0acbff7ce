// Traits of 2025-11-25.
import type { RevisionTraits } from "../revision.ts";

export const traits: RevisionTraits = {
  hasHandshake: true,
  hasServerRequests: true,
  hasBatches: false,
  hasVersionHeader: true,
  hasPrimingEvent: true,
  hasTaskAugmentation: true,
  declaresCompletions: true,
};

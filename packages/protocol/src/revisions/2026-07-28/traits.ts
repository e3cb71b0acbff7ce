// Traits of 2026-07-28: each request carries an envelope, and no session exists.
import type { RevisionTraits } from "../revision.ts";

export const traits: RevisionTraits = {
  hasHandshake: false,
  hasServerRequests: false,
  hasBatches: false,
  hasVersionHeader: true,
  hasPrimingEvent: false,
  hasTaskAugmentation: false,
  declaresCompletions: true,
};

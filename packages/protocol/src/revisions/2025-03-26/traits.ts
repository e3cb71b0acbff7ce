// Traits of 2025-03-26: batches, and no version header.
import { traits as newer } from "../2025-06-18/traits.ts";
import type { RevisionTraits } from "../revision.ts";

export const traits: RevisionTraits = { ...newer, hasBatches: true, hasVersionHeader: false };

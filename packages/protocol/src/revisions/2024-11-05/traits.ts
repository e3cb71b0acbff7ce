// Traits of 2024-11-05: no batches, and completion without a capability.
import { traits as newer } from "../2025-03-26/traits.ts";
import type { RevisionTraits } from "../revision.ts";

export const traits: RevisionTraits = { ...newer, hasBatches: false, declaresCompletions: false };

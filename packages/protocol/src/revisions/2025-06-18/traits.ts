// Traits of 2025-06-18: no priming event and no tasks.

import { traits as newer } from "../2025-11-25/traits.ts";
import type { RevisionTraits } from "../revision.ts";

export const traits: RevisionTraits = { ...newer, hasPrimingEvent: false, hasTaskAugmentation: false };

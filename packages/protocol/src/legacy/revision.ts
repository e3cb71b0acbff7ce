// The revisions that begin with `initialize`, and the few facts in which they differ on the wire (D.6).
import { legacyRevisions } from "../meta/keys.ts";

export type LegacyRevision = "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** What a client asks for first (D.2/6). */
export const newestLegacyRevision: LegacyRevision = "2025-11-25";

export interface RevisionTraits {
  /** Every HTTP request after `initialize` names the revision (D-37). */
  readonly hasVersionHeader: boolean;
  /** A server that completes says so in its capabilities; before, the method was there without a word (D.6). */
  readonly declaresCompletions: boolean;
}

const traits: Readonly<Record<LegacyRevision, RevisionTraits>> = {
  "2025-11-25": { hasVersionHeader: true, declaresCompletions: true },
  "2025-06-18": { hasVersionHeader: true, declaresCompletions: true },
  "2025-03-26": { hasVersionHeader: false, declaresCompletions: true },
  "2024-11-05": { hasVersionHeader: false, declaresCompletions: false },
};

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return typeof value === "string" && legacyRevisions.includes(value);
}

export function traitsOf(revision: LegacyRevision): RevisionTraits {
  return traits[revision];
}

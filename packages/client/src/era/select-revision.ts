// Picks the revision to speak (D-2, J-33, J-34) and reads what a refusal offers, in the final and in the draft spellings.
import { isJsonObject, isMcpError, legacyRevisions, modernRevisions } from "@lethe/protocol";

/** -32022; -32004 and -32602 stood for the same in drafts (I-1). */
const refusalCodes: ReadonlySet<number> = new Set([-32022, -32004, -32602]);

/** What a server that refused our version offers instead; undefined when `error` is no such refusal. */
export function offeredVersionsOf(error: unknown): readonly string[] | undefined {
  if (!isMcpError(error) || !refusalCodes.has(error.code) || !isJsonObject(error.data)) return undefined;
  const { supported } = error.data;
  if (!Array.isArray(supported)) return undefined;
  return supported.filter((version) => typeof version === "string");
}

/** Our newest modern revision among those offered, whatever their order. */
export function selectModern(offered: readonly string[]): string | undefined {
  return modernRevisions.find((revision) => offered.includes(revision));
}

/** Our newest legacy revision among those offered. */
export function selectLegacy(offered: readonly string[]): string | undefined {
  return legacyRevisions.find((revision) => offered.includes(revision));
}

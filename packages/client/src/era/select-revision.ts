// Picks the revision to speak (D-2, J-33, J-34) and reads what a refusal offers, in the final and in the draft spellings.
import { errorCode, fromDraftError, isJsonObject, isMcpError, legacyRevisions, modernRevisions } from "@lethe/protocol";

/** What a server that refused our version offers instead; undefined when `error` is no such refusal. */
export function offeredVersionsOf(error: unknown): readonly string[] | undefined {
  if (!isMcpError(error) || fromDraftError(error).code !== errorCode.unsupportedProtocolVersion) return undefined;
  const supported = isJsonObject(error.data) ? error.data.supported : undefined;
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

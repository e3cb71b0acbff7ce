// Selects the revision to speak (D-2, J-33, J-34) and reads the versions that an error offers, in final and draft spellings.
import { errorCode, fromDraftError, isJsonObject, isMcpError, legacyRevisions, modernRevisions } from "@lethe/protocol";

/** The versions that a server offers when it rejects ours. Undefined if `error` is another error. */
export function offeredVersionsOf(error: unknown): readonly string[] | undefined {
  if (!isMcpError(error) || fromDraftError(error).code !== errorCode.unsupportedProtocolVersion) return undefined;
  const supported = isJsonObject(error.data) ? error.data.supported : undefined;
  if (!Array.isArray(supported)) return undefined;
  return supported.filter((version) => typeof version === "string");
}

/** Our newest modern revision among the offered ones, in any order. */
export function selectModern(offered: readonly string[]): string | undefined {
  return modernRevisions.find((revision) => offered.includes(revision));
}

/** Our newest legacy revision among the offered ones. */
export function selectLegacy(offered: readonly string[]): string | undefined {
  return legacyRevisions.find((revision) => offered.includes(revision));
}

// Finds revisions of the registry by name, and lists their names.
import { unsupportedProtocolVersion } from "../jsonrpc/error.ts";
import { type ModernRequest, protocolVersionOf } from "../meta/envelope.ts";
import { revisions } from "./registry.ts";
import type { Revision } from "./revision.ts";

/** The names of the revisions with a handshake. No later revision has one. */
export type LegacyRevision = "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05";

/** Names of the revisions without a handshake, newest first: what `server/discover` and error -32022 list. */
export const modernRevisions: readonly string[] = namesOf(false);

/** Names of the revisions with a handshake, newest first. */
export const legacyRevisions: readonly string[] = namesOf(true);

/** The revision that a client offers in `initialize`. */
export const newestLegacyRevision: LegacyRevision = "2025-11-25";

const byName: ReadonlyMap<string, Revision> = new Map(revisions.map((revision) => [revision.name, revision]));

function namesOf(hasHandshake: boolean): string[] {
  return revisions.filter(({ traits }) => traits.hasHandshake === hasHandshake).map(({ name }) => name);
}

/** The revision with this name; undefined if this package does not speak it. */
export function findRevision(name: string): Revision | undefined {
  return byName.get(name);
}

/** The revision with this name. Throws RangeError if this package does not speak it. */
export function revisionNamed(name: string): Revision {
  const revision = byName.get(name);
  if (!revision) throw new RangeError(`unknown protocol revision: ${name}`);
  return revision;
}

/** True for the name of a revision that is later than all those that this package speaks, such as "2099-01-01". */
export function isLaterRevision(name: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(name) && name > (modernRevisions[0] ?? "");
}

/** True for the name of a revision with a handshake. */
export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return typeof value === "string" && legacyRevisions.includes(value);
}

/** Throws McpError -32022, with the list `supported`, unless the request's revision is in that list. */
export function requireSupportedVersion(request: ModernRequest, supported: readonly string[] = modernRevisions): void {
  // D-1
  const requested = protocolVersionOf(request);
  if (!supported.includes(requested)) throw unsupportedProtocolVersion(requested, supported);
}

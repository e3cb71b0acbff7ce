// Chooses one of the two connections of an upstream for a request. A client that uses sessions gets the older era, any other
// client the newer one. An item that only one era offers goes to that era.
import { clientCapabilitiesOf, declaresTasks, type ModernRequest, method, taskAugmentationOf } from "@lethe/protocol";
import type { OfferedNames } from "./era-differences.ts";
import type { LegacyEra } from "./legacy-era.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

/** The era that a caller's request state, task id or session handle belongs to. */
export type KeptEra = "legacy" | undefined;

/** The target of a request, by the upstream's own name or URI. Undefined for a request without a target. */
export interface Wanted {
  readonly kind: keyof OfferedNames;
  readonly name: string;
}

/** Returns a promise only if the older era must be opened first. Never rejects. */
export function chooseEra(
  main: UpstreamSessions,
  request: ModernRequest,
  wanted?: Wanted,
): UpstreamSessions | Promise<UpstreamSessions> {
  const { legacyEra } = main;
  return legacyEra && isForLegacy(legacyEra, main, request, wanted) ? opened(legacyEra, main) : main;
}

/** Returns the sessions for the next round of a call, or for a task: those of the era it began in. */
export function ofEra(main: UpstreamSessions, era: KeptEra): UpstreamSessions | Promise<UpstreamSessions> {
  const { legacyEra } = main;
  return legacyEra && era === "legacy" ? opened(legacyEra, main) : main;
}

export function eraOf({ isLegacyEra }: UpstreamSessions): KeptEra {
  return isLegacyEra ? "legacy" : undefined;
}

/** Returns the sessions of the same era, or undefined if it is not open. `main` may have a newer configuration. */
export function sameEra(main: UpstreamSessions, { isLegacyEra }: UpstreamSessions): UpstreamSessions | undefined {
  return isLegacyEra ? main.legacyEra?.sessions : main;
}

function opened(legacyEra: LegacyEra, main: UpstreamSessions): UpstreamSessions | Promise<UpstreamSessions> {
  const { sessions } = legacyEra;
  if (sessions) return sessions;
  // Waits if it is already opening, so that the first calls of a caller share one session.
  return legacyEra.open(main).then((now) => now ?? main);
}

function isForLegacy(
  legacyEra: LegacyEra,
  main: UpstreamSessions,
  request: ModernRequest,
  wanted: Wanted | undefined,
): boolean {
  const { onlyModern, onlyLegacy, onlyLegacyFeatures } = legacyEra.differences;
  const learnt = wanted?.kind === "tools" ? legacyEra.eraOf(wanted.name) : undefined;
  if (learnt) return learnt === "legacy";
  if (request.prefersSession) {
    if (wanted && onlyModern[wanted.kind].has(wanted.name)) return false;
    return !isForTasks(main, request);
  }
  if (request.method === method.complete && onlyLegacyFeatures.completions) return true;
  if (request.method === method.listen && onlyLegacyFeatures.subscribe) return true;
  return wanted !== undefined && onlyLegacy[wanted.kind].has(wanted.name);
}

/** Task lists and task requests always go to the newer era. */
function isForTasks({ connection }: UpstreamSessions, request: ModernRequest): boolean {
  if (!taskAugmentationOf(request) && !declaresTasks(clientCapabilitiesOf(request))) return false;
  return connection !== undefined && declaresTasks(connection.server.capabilities);
}

// Which of the two connections of an upstream a request goes to: the one that preserves the most for its caller. A client that
// knows sessions gets the older era, any other the newer one; what only one era offers goes to that one.
import { clientCapabilitiesOf, declaresTasks, type ModernRequest, method, taskAugmentationOf } from "@lethe/protocol";
import type { OfferedNames } from "./era-differences.ts";
import type { LegacyEra } from "./legacy-era.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

/** In what a caller brings back: where its call, its task or its session is. */
export type KeptEra = "legacy" | undefined;

/** What a request is for, by the upstream's own name or URI. Undefined where it names nothing. */
export interface Wanted {
  readonly kind: keyof OfferedNames;
  readonly name: string;
}

/** Without a promise where nothing has to be opened. Never rejects. */
export function chooseEra(
  main: UpstreamSessions,
  request: ModernRequest,
  wanted?: Wanted,
): UpstreamSessions | Promise<UpstreamSessions> {
  const { legacyEra } = main;
  return legacyEra && isForLegacy(legacyEra, main, request, wanted) ? opened(legacyEra, main) : main;
}

/** A next round belongs to the era of the first one, and so does whatever is done with a task. */
export function ofEra(main: UpstreamSessions, era: KeptEra): UpstreamSessions | Promise<UpstreamSessions> {
  const { legacyEra } = main;
  return legacyEra && era === "legacy" ? opened(legacyEra, main) : main;
}

export function eraOf({ isLegacyEra }: UpstreamSessions): KeptEra {
  return isLegacyEra ? "legacy" : undefined;
}

/** The sessions of the same era; undefined where it is not open. `main` may be under another configuration. */
export function sameEra(main: UpstreamSessions, { isLegacyEra }: UpstreamSessions): UpstreamSessions | undefined {
  return isLegacyEra ? main.legacyEra?.sessions : main;
}

function opened(legacyEra: LegacyEra, main: UpstreamSessions): UpstreamSessions | Promise<UpstreamSessions> {
  const { sessions } = legacyEra;
  if (sessions) return sessions;
  // One that is being opened is waited for, so that a caller's first calls do not end up in two sessions.
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

/** Tasks are listed and relayed as the newer era has them. */
function isForTasks({ connection }: UpstreamSessions, request: ModernRequest): boolean {
  if (!taskAugmentationOf(request) && !declaresTasks(clientCapabilitiesOf(request))) return false;
  return connection !== undefined && declaresTasks(connection.server.capabilities);
}

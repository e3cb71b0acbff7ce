// The room of an upstream for new sessions, as other replicas may use it.
import type { UpstreamRoom } from "../directory/replica-room.ts";
import { bothErasOf } from "./legacy-era.ts";
import { isMissing } from "./readiness.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

/** The name of an upstream's era in the directory. */
export function directoryNameOf({ name, isLegacyEra }: Pick<UpstreamSessions, "name" | "isLegacyEra">): string {
  return isLegacyEra ? `${name} legacy` : name;
}

/** The upstreams of a gateway that may get sessions, by their names in the directory. */
export function* roomsOf(upstreams: Iterable<UpstreamSessions>): Generator<readonly [string, UpstreamRoom]> {
  for (const main of upstreams) {
    for (const sessions of bothErasOf(main)) {
      const room = roomOf(sessions);
      if (room) yield [directoryNameOf(sessions), room];
    }
  }
}

/** Undefined for an upstream that has no sessions of callers, has not started, is down, or serves one caller at a time. */
function roomOf(sessions: UpstreamSessions): UpstreamRoom | undefined {
  const { affinity, config, connection, isSingleTenant, limits } = sessions;
  const isUp = connection !== undefined || (config.start === "demand" && !isMissing(sessions));
  if (affinity === "shared" || affinity === "call" || isSingleTenant || !isUp) return undefined;
  return { used: sessions.sessions.counted, max: limits.max };
}

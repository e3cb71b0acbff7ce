// The limits of a running gateway with their current use, for the administration.
import { processMemory } from "@lethe/protocol";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { defaultPendingLimits, type Gateway } from "../edge/endpoints/gateway.ts";
import type { LimitUse } from "./admin/api/health.ts";

/** Limits of upstreams that are listed: those that are used most. */
const maxListed = 100;

export function toLimitUse(
  { upstreams, pendingCalls, heldCount }: LimitedGateway,
  { pendingCalls: own = {} }: GatewaySettings,
): LimitUse[] {
  const shared: LimitUse[] = [
    {
      ...{ name: "limits.maxHeldBytes", what: "memory held for callers and upstreams", unit: "bytes" },
      ...{ limit: processMemory.hardBytes, used: processMemory.heldBytes },
    },
    {
      ...{ name: "pendingCalls.max", what: "calls that wait for an answer of their caller", unit: "count" },
      ...{ limit: own.max ?? defaultPendingLimits.maxPending, used: pendingCalls.length },
    },
  ];
  const ofUpstreams = upstreams.flatMap(({ name: upstream, limits, sessions, waitingCount }): LimitUse[] => [
    {
      ...{ name: "sessions.max", what: "open sessions or processes", unit: "count", upstream },
      ...{ limit: limits.max, used: sessions.filter(({ key }) => key.isOwn !== true).length },
    },
    {
      ...{
        name: "sessions.maxWaiting",
        what: "requests that wait for a session or their turn",
        unit: "count",
        upstream,
      },
      ...{ limit: limits.maxWaiting, used: waitingCount + heldCount(upstream) },
    },
  ]);
  const partOf = ({ used, limit }: LimitUse) => used / Math.max(1, limit);
  return [...shared, ...ofUpstreams.sort((one, other) => partOf(other) - partOf(one)).slice(0, maxListed)];
}

type LimitedGateway = Pick<Gateway, "upstreams" | "pendingCalls" | "heldCount">;

// Decides where a new session of one upstream opens: here, or at a replica that has more room for it.
import { notStarted } from "../connection/upstream-error.ts";
import type { HandOver, HandOverReason, RoomExchange } from "../directory/room-exchange.ts";
import type { FilledLimits } from "./pool-limits.ts";
import type { SessionKey } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";

export interface SessionPlacementOptions {
  readonly upstream: string;
  /** Names the upstream in the directory. */
  readonly directoryName: string;
  readonly limits: Pick<FilledLimits, "max">;
  readonly pool: Pick<SessionPool, "placesFor">;
  readonly rooms: RoomExchange;
}

/**
 * Below this free share, a replica hands new sessions to others that have more room. Each of their calls may then be forwarded, so a replica
 * with enough room opens them itself.
 */
const crowdedShare = 1 / 4;
/** The free share of the other replica, in multiples of that of this one. Otherwise they would take turns. */
const worthwhileFactor = 2;
const retryAfterMs = 1_000;

export class SessionPlacement {
  readonly #options: SessionPlacementOptions;

  constructor(options: SessionPlacementOptions) {
    this.#options = options;
  }

  /** Returns the replica that should open the session. `opening` is the number of other sessions that may open here now. */
  replicaFor(key: SessionKey, opening: number): HandOver | undefined {
    const { directoryName, limits, pool, rooms } = this.#options;
    const choose = (reason: HandOverReason, minShare?: number) => rooms.choose(directoryName, reason, minShare);
    if (rooms.isDraining) return choose("draining");
    const places = pool.placesFor(key, opening);
    if (places <= 0) return choose("full");
    const freeShare = places / limits.max;
    return freeShare < crowdedShare ? choose("crowded", worthwhileFactor * freeShare) : undefined;
  }

  /** Throws a McpError that says that the request has not started unless this replica has the room that another one expected. */
  requireRoom(key: SessionKey, opening: number): void {
    const { pool, rooms, upstream } = this.#options;
    if (!rooms.isDraining && pool.placesFor(key, opening) > 0) return;
    throw notStarted(upstream, "busy", "has no room for the session at this replica of the gateway", { retryAfterMs });
  }
}

// Where sessions begin: in this replica, unless another one of the gateway keeps the session of that place.

import { upstreamError } from "../connection/upstream-error.ts";
import type { Directory } from "../directory/directory.ts";
import type { Place, Session } from "./session.ts";
import { type Elsewhere, isClaimed, SessionClaims } from "./session-leases.ts";
import type { SessionPool } from "./session-pool.ts";

export interface SessionPlacesOptions {
  readonly upstream: string;
  /** Names the upstream in the directory. Default: `upstream`. */
  readonly claimed?: string;
  readonly pool: SessionPool;
  readonly directory: Directory;
  /** Where the upstream is configured anew, a place may be of its successor's. Default: it never is. */
  isTaken?: ((place: Place) => boolean) | undefined;
}

export class SessionPlaces {
  readonly #upstream: string;
  readonly #pool: SessionPool;
  readonly #claims: SessionClaims;
  readonly #isTaken: (place: Place) => boolean;
  /** How many requests are about to have a session, by the key of its place. */
  readonly #beginning: Map<string, number> = new Map();
  /** No place is watched any more. */
  readonly close: () => void;

  constructor({ upstream, claimed = upstream, pool, directory, isTaken = () => false }: SessionPlacesOptions) {
    this.#upstream = upstream;
    this.#pool = pool;
    this.#claims = new SessionClaims(claimed, directory);
    this.#isTaken = isTaken;
    // Should the place come back here, its caller must not find what was kept before.
    this.close = this.#claims.onTaken((key) => pool.retireAt(key));
  }

  /** The open session of a place, if it still is this replica's. */
  find(place: Place): Session | undefined {
    const session = this.#pool.find(place.key);
    return session && this.#claims.holds(place) ? session : undefined;
  }

  /** One that its caller names is there, or is gone. Rejects with McpError. */
  async begin(place: Place, isNamed: boolean): Promise<Session | Elsewhere> {
    if (!isClaimed(place)) return this.#pool.acquire(place);
    this.#beginning.set(place.key, (this.#beginning.get(place.key) ?? 0) + 1);
    try {
      const elsewhere = await this.#claims.claim(place);
      if (elsewhere) return elsewhere;
      if (!isNamed) return await this.#pool.acquire(place);
      const session = this.#pool.find(place.key);
      if (session) return session;
      const what = "has no such session any more; begin another without a handle";
      throw upstreamError(this.#upstream, "session_gone", what);
    } catch (error) {
      // What another request of this caller waits for here stays here.
      if (this.#beginning.get(place.key) === 1) this.leave(place);
      throw error;
    } finally {
      const others = (this.#beginning.get(place.key) ?? 1) - 1;
      if (others > 0) this.#beginning.set(place.key, others);
      else this.#beginning.delete(place.key);
    }
  }

  /** Its session has ended. */
  leave(place: Place): void {
    // A younger one may have its place.
    if (!this.#pool.find(place.key) && !this.#isTaken(place)) this.#claims.release(place);
  }
}

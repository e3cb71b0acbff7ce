// Which replica of the gateway keeps which session of one upstream.

import { throwReplicaFailure } from "../connection/upstream-error.ts";
import type { Directory } from "../directory/directory.ts";
import type { Place } from "./session.ts";

/** Another replica keeps the session. */
export interface Elsewhere {
  readonly replica: string;
}

export class SessionClaims {
  readonly #upstream: string;
  readonly #directory: Directory;

  constructor(upstream: string, directory: Directory) {
    this.#upstream = upstream;
    this.#directory = directory;
  }

  /** Undefined when the session is this replica's, from now on if it was nobody's. */
  async claim(place: Place): Promise<Elsewhere | undefined> {
    if (!isClaimed(place)) return undefined;
    let replica: string;
    try {
      replica = await this.#directory.claim(this.#keyOf(place));
    } catch (error) {
      throwReplicaFailure(this.#upstream, error);
    }
    return replica === this.#directory.self ? undefined : { replica };
  }

  /** Whether the session of this place is still this replica's, as far as it can know without asking. */
  holds(place: Place): boolean {
    return !this.#directory.holds || !isClaimed(place) || this.#directory.holds(this.#keyOf(place));
  }

  /** Tells the key of each place that another replica has taken. Returns how to stop. */
  onTaken(listener: (placeKey: string) => void): () => void {
    const prefix = this.#keyOf({ key: "" });
    const stop = this.#directory.onTaken?.((key) => {
      if (key.startsWith(prefix)) listener(key.slice(prefix.length));
    });
    return stop ?? (() => {});
  }

  release(place: Place): void {
    if (isClaimed(place)) this.#directory.release(this.#keyOf(place));
  }

  #keyOf({ key }: Pick<Place, "key">): string {
    return `${this.#upstream} ${key}`;
  }
}

/** Each replica has a session of its own, and nobody comes back to one of a single call. */
export function isClaimed({ isOwn, isNobodys, isSingleUse, isSpare }: Place): boolean {
  return (!isOwn || isNobodys === true) && !isSingleUse && !isSpare;
}

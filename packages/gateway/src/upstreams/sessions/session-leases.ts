// The leases of one upstream's session keys: which replica of the gateway owns which session.

import type { AcquireOptions, Directory } from "@lethe/server/stores";
import { throwReplicaFailure } from "../connection/upstream-error.ts";
import type { HandOver } from "../directory/room-exchange.ts";
import type { SessionKey } from "./session.ts";

/** The replica that owns a session, where that is another one. */
export interface RemoteOwner {
  readonly replica: string;
  /** The session in the directory. Absent if no replica owns it yet. */
  readonly key?: string;
  /** No replica owns the session yet, and this one should open it. */
  readonly handOver?: HandOver;
}

/** This replica owns the session. */
export interface OwnLease {
  /** Whether another replica owned it until it failed or stopped, so that the state of the session is lost. */
  readonly isInherited: boolean;
}

const ownLease: OwnLease = { isInherited: false };
const inheritedLease: OwnLease = { isInherited: true };

export class SessionLeases {
  readonly #upstream: string;
  readonly #directory: Directory;

  constructor(upstream: string, directory: Directory) {
    this.#upstream = upstream;
    this.#directory = directory;
  }

  /** Acquires a key that has no owner. Rejects with McpError. */
  async acquire(key: SessionKey, options?: AcquireOptions): Promise<OwnLease | RemoteOwner> {
    if (!isLeased(key)) return ownLease;
    const name = this.#nameOf(key);
    try {
      const { owner, formerOwner } = await this.#directory.acquire(name, options);
      if (owner !== this.#directory.self) return { replica: owner, key: name };
      return formerOwner === undefined ? ownLease : inheritedLease;
    } catch (error) {
      throwReplicaFailure(this.#upstream, error);
    }
  }

  /** Whether this replica still holds the lease, as far as it knows without asking the directory. */
  holds(key: SessionKey): boolean {
    return !this.#directory.holds || !isLeased(key) || this.#directory.holds(this.#nameOf(key));
  }

  /** Whether a replica owns the session, or that is unknown. */
  async isOwned(key: SessionKey): Promise<boolean> {
    const { placement } = this.#directory;
    return placement === undefined || placement.isOwned(this.#nameOf(key)).catch(() => true);
  }

  /** Calls the listener with each key that another replica has acquired. Returns a function that stops it. */
  onLost(listener: (keyValue: string) => void): () => void {
    const prefix = this.#nameOf({ value: "" });
    const stop = this.#directory.onLost?.((name) => {
      if (name.startsWith(prefix)) listener(name.slice(prefix.length));
    });
    return stop ?? (() => {});
  }

  release(key: SessionKey): void {
    if (isLeased(key)) this.#directory.release(this.#nameOf(key));
  }

  #nameOf({ value }: Pick<SessionKey, "value">): string {
    return `${this.#upstream} ${value}`;
  }
}

/** False for the gateway's own sessions, which each replica has, and for sessions of a single call. */
export function isLeased({ isOwn, isAnonymous, isSingleUse, isSpare }: SessionKey): boolean {
  return (!isOwn || isAnonymous === true) && !isSingleUse && !isSpare;
}

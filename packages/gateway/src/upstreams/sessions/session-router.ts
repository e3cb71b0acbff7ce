// Routes a session key to its session: one of this replica, or the replica that owns it.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { AcquireOptions, Directory } from "@lethe/server/stores";
import { upstreamError } from "../connection/upstream-error.ts";
import type { HandOver } from "../directory/room-exchange.ts";
import type { Session, SessionKey } from "./session.ts";
import { isLeased, type OwnLease, type RemoteOwner, SessionLeases } from "./session-leases.ts";
import type { SessionLosses } from "./session-losses.ts";
import type { SessionPlacement } from "./session-placement.ts";
import type { SessionPool } from "./session-pool.ts";

/** Leases that are released in one turn of the event loop. Each is a command to the shared store. */
const maxReleasedPerTurn = 100;

export interface SessionRouterOptions {
  readonly upstream: string;
  /** Names the upstream in the directory. Default: `upstream`. */
  readonly directoryName?: string;
  readonly pool: SessionPool;
  readonly directory: Directory;
  readonly losses: SessionLosses;
  /** Default: a session opens where its first request arrives. */
  readonly placement?: SessionPlacement | undefined;
  /** Whether a key now belongs to the upstream's new configuration. Default: never. */
  isKeyOfSuccessor?: ((key: SessionKey) => boolean) | undefined;
}

/** How a request acquires its session. */
export interface SessionAcquisition extends AcquireOptions {
  /** The handle with which the caller names a session. */
  readonly handle?: string | undefined;
  /** Whether another replica may open the session. Default false. */
  readonly mayHandOn?: boolean | undefined;
  /** Whether another replica chose this one to open the session. Default false. */
  readonly isHandedOn?: boolean | undefined;
}

export class SessionRouter {
  readonly #upstream: string;
  readonly #pool: SessionPool;
  readonly #leases: SessionLeases;
  readonly #losses: SessionLosses;
  readonly #placement: SessionPlacement | undefined;
  readonly #isKeyOfSuccessor: (key: SessionKey) => boolean;
  /** The number of requests that are acquiring a session, by the value of its key. */
  readonly #acquiring: Map<string, number> = new Map();
  #isLeaving = false;
  /** Stops listening for lost leases. */
  readonly close: () => void;

  constructor(options: SessionRouterOptions) {
    const { upstream, directoryName = upstream, pool, directory, losses, isKeyOfSuccessor = () => false } = options;
    this.#upstream = upstream;
    this.#pool = pool;
    this.#leases = new SessionLeases(directoryName, directory);
    this.#losses = losses;
    this.#placement = options.placement;
    this.#isKeyOfSuccessor = isKeyOfSuccessor;
    // If the lease comes back later, the caller must not find the old session.
    this.close = this.#leases.onLost((value) => {
      pool.retireAt(value);
      losses.drop(value);
    });
  }

  /** Returns the open session of a key if this replica still holds its lease. */
  find(key: SessionKey): Session | undefined {
    const session = this.#pool.find(key.value);
    return session && this.#leases.holds(key) ? session : undefined;
  }

  /** Acquires the lease and opens a session. A session that the caller named is never opened anew. Rejects with McpError. */
  async acquire(key: SessionKey, how: SessionAcquisition = {}): Promise<Session | RemoteOwner> {
    const { value } = key;
    const { handle, isForwarded } = how;
    if (!isLeased(key)) return this.#pool.acquire(key);
    const isNamed = handle !== undefined && key.handle === handle;
    const elsewhere = this.#placement && !isNamed ? this.#elsewhere(key, how, this.#placement) : undefined;
    const chosen = elsewhere && (await elsewhere);
    if (chosen) return chosen;
    this.#acquiring.set(value, (this.#acquiring.get(value) ?? 0) + 1);
    try {
      const before = this.#pool.find(value);
      const lease = await this.#leases.acquire(key, { isForwarded });
      if ("replica" in lease) return lease;
      // Another replica owned the key in between, so the state of an older session here is not what the caller left.
      if (lease.isInherited && before && before === this.#pool.find(value)) this.#pool.retireAt(value);
      if (!isNamed) return await this.#open(key, lease);
      const session = this.#pool.find(value);
      if (session) return session;
      const what = "has no such session any more; begin another without a handle";
      throw upstreamError(this.#upstream, "session_gone", what);
    } catch (error) {
      // Another request of this caller may still be waiting for the session here.
      // A replica that is stopping leaves the lease of a session with state behind, from which the next owner learns of the loss.
      if (this.#acquiring.get(value) === 1 && !this.#isLeaving) this.#release(key);
      throw error;
    } finally {
      const others = (this.#acquiring.get(value) ?? 1) - 1;
      if (others > 0) this.#acquiring.set(value, others);
      else this.#acquiring.delete(value);
    }
  }

  /**
   * This replica is stopping: gives up the leases of sessions without state, so that other replicas continue them. A replica
   * that acquires one of the other sessions tells its caller that the state is lost.
   */
  async handOver(): Promise<void> {
    this.#isLeaving = true;
    for (const [index, session] of [...this.#pool.sessions].entries()) {
      // Until the last one is released, this replica must answer the others in time.
      if (index % maxReleasedPerTurn === maxReleasedPerTurn - 1) await nextTurn();
      const isCurrent = this.#pool.find(session.key.value) === session;
      if (isCurrent && !this.#isInUse(session) && !this.#losses.isWorthTelling(session))
        this.#leases.release(session.key);
    }
  }

  /** Returns the replica that should open a session that has no owner. Throws McpError for one that was handed on to here in vain. */
  #elsewhere(
    key: SessionKey,
    { mayHandOn, isHandedOn }: SessionAcquisition,
    placement: SessionPlacement,
  ): Promise<RemoteOwner | undefined> | undefined {
    const isHere = this.#acquiring.has(key.value) || this.#leases.holds(key);
    if (isHere) return undefined;
    if (isHandedOn) placement.requireRoom(key, this.#acquiring.size);
    const handOver = mayHandOn ? placement.replicaFor(key, this.#acquiring.size) : undefined;
    return handOver && this.#unlessOwned(key, handOver);
  }

  async #unlessOwned(key: SessionKey, handOver: HandOver): Promise<RemoteOwner | undefined> {
    // No replica knows a handle that was made for this request.
    const isOwned = key.handle === undefined && (await this.#leases.isOwned(key));
    return isOwned ? undefined : { replica: handOver.replica, handOver };
  }

  /** Releases the lease of an ended session, unless it is still needed. */
  release(session: Session): void {
    if (this.#acquiring.has(session.key.value) || (this.#isLeaving && this.#losses.isWorthTelling(session))) return;
    this.#release(session.key);
  }

  /** Keeps the lease while a newer session uses the key, or while its caller must be told about a loss. */
  #release(key: SessionKey): void {
    if (this.#pool.find(key.value) || this.#isKeyOfSuccessor(key) || this.#losses.isUntold(key)) return;
    this.#leases.release(key);
  }

  /** A request that runs, or is about to, may still give the session its first state. */
  #isInUse({ key, isIdle }: Session): boolean {
    return !isIdle || this.#acquiring.has(key.value);
  }

  async #open(key: SessionKey, { isInherited }: OwnLease): Promise<Session> {
    if (isInherited) this.#losses.inherit(key);
    const session = await this.#pool.acquire(key);
    this.#losses.succeed(session);
    return session;
  }
}

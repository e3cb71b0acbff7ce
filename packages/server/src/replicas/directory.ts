// Records which replica of a gateway owns which session, and forwards requests to the owner.
import type { Dispatch } from "@lethe/protocol";

/** The outcome of an acquisition. */
export interface Acquired {
  /** The id of the replica that owns the session now. */
  readonly owner: string;
  /**
   * The id of another replica that owned the session until it failed or stopped, if this acquisition gave the session to a new
   * owner. The state of the session is lost. Absent after a clean release.
   */
  readonly formerOwner?: string;
}

/** How a session is acquired. */
export interface AcquireOptions {
  /**
   * True for a request that another replica forwarded because it takes this one for the owner. The directory must not answer
   * from memory then: two replicas that remember each other would forward the request to each other. Default: false.
   */
  readonly isForwarded?: boolean | undefined;
}

/** Lets replicas tell each other how much room they have for new sessions. The methods reject when the shared state is out of reach. */
export interface Placement {
  /**
   * Records a short note of this replica for `ttlMs`, and returns the notes of others that have not expired, by replica: of at most `max`,
   * chosen at random if there are more. A replica that has left has no note.
   */
  exchange(
    note: string,
    options: { readonly ttlMs: number; readonly max: number },
  ): Promise<ReadonlyMap<string, string>>;
  /** Whether a replica, which may be this one, owns the session. Acquires nothing. May answer true from memory. */
  isOwned(key: string): Promise<boolean>;
}

/** Assigns each session to one replica. Methods that cannot reach the shared state reject with ReplicaError. */
export interface Directory {
  /** The unique id of this process. A restarted process has a new id. */
  readonly self: string;
  /**
   * Acquires the session `key` for this replica unless another replica owns it, and returns its owner. Must be
   * atomic. Ownership must expire by itself when the owner dies.
   */
  acquire(key: string, options?: AcquireOptions): Acquired | Promise<Acquired>;
  /**
   * Whether this replica owns `key`, judged by local knowledge alone. After `false` the replica must acquire the key again,
   * and may find that it still owns it. Default: true until the key is released.
   */
  holds?(key: string): boolean;
  /**
   * Calls `listener` with each key that another replica has, or may have, acquired from this one: the session starts anew.
   * Returns a function that removes the listener.
   */
  onLost?(listener: (key: string) => void): () => void;
  /** Gives up ownership: the session has ended. */
  release(key: string): void;
  /**
   * The endpoint at `path` of another replica, or undefined when that replica is gone. The replica runs a request at most
   * once. The Dispatch rejects with ReplicaError when forwarding fails, and with McpError when the replica answers with one.
   * `key` is the session for which the replica is reached: a directory that remembers owners learns from the answer whether
   * that replica still owns it.
   */
  reach(replica: string, path: string, key?: string): Dispatch | undefined | Promise<Dispatch | undefined>;
  /**
   * Default: replicas do not know each other's room, and a session opens at the replica that receives its first request. Works only with
   * `holds`.
   */
  readonly placement?: Placement;
}

/**
 * Creates the directory of a gateway with one replica, which owns every session.
 *
 * @example
 * import { createLocalDirectory } from "@lethe/server/stores";
 *
 * const directory = createLocalDirectory();
 * console.log((await directory.acquire("session")).owner === directory.self); // true
 */
export function createLocalDirectory(): Directory {
  const self = crypto.randomUUID();
  return { self, acquire: () => ({ owner: self }), release: () => {}, reach: () => undefined };
}

// Who keeps which session, among all replicas of a gateway, and the way to them. One process needs no more than itself.
import type { Dispatch } from "@lethe/protocol";

/** What cannot be found out rejects with ReplicaError. */
export interface Directory {
  /** The name of this process; no other process has it, not even the one that comes after a restart. */
  readonly self: string;
  /**
   * Who keeps the session of `key`: this replica, if nobody does so far. Must be atomic, and lapse by itself when the
   * keeper is gone.
   */
  acquire(key: string): string | Promise<string>;
  /**
   * Whether this replica still keeps what it has claimed, as far as it can know without asking. Where it cannot, it has to
   * claim again before it goes on. Default: until it is released.
   */
  holds?(key: string): boolean;
  /**
   * Tells of each key that this replica kept and another one has claimed meanwhile: the session goes on there, from nothing.
   * Returns how to stop.
   */
  onLost?(listener: (key: string) => void): () => void;
  /** The session has ended. */
  release(key: string): void;
  /**
   * The endpoint at `path` of a replica; undefined when it is gone. A request is carried out there once or not at all.
   * The Dispatch rejects with ReplicaError for what comes of the way, and with McpError for what the replica says.
   */
  reach(replica: string, path: string): Dispatch | undefined | Promise<Dispatch | undefined>;
}

/** Of a gateway that is alone. */
export function createLocalDirectory(): Directory {
  const self = crypto.randomUUID();
  return { self, acquire: () => self, release: () => {}, reach: () => undefined };
}

// Defaults that stores of one kind share, whether they keep their records in memory, in Redis or in PostgreSQL.

/** The type of `storeDefaults`. Times are in ms. */
export interface StoreDefaults {
  /** Of a `SingleUseStore`. */
  readonly singleUse: {
    /** Used states kept for all callers without authentication together. */
    readonly maxStates: number;
    /** Used states kept per authenticated caller. */
    readonly maxStatesPerCaller: number;
    /** How long an answer is kept for an identical retry. */
    readonly keepAnswersMs: number;
  };
  /** Of an `EventLog`. */
  readonly events: {
    /** Events kept per stream. */
    readonly maxEvents: number;
    /** Size of the kept events of a stream, or of one event: in characters in memory, else in bytes. */
    readonly maxBytes: number;
    /** Streams whose events are kept. */
    readonly maxStreams: number;
    /** How long a stream is kept after its end. */
    readonly maxAgeMs: number;
  };
  /** Of a `SessionStore`. */
  readonly sessions: {
    /** How long a state is kept after its last change. */
    readonly ttlMs: number;
    /** Sessions in the memory of a process. */
    readonly maxSessions: number;
    /** Size of these sessions, in characters. */
    readonly maxSize: number;
  };
  /** Of a `TaskStore`. */
  readonly tasks: {
    /** Longer ids are unknown: the keys of a store are limited, and ids come from clients. */
    readonly maxIdLength: number;
  };
}

/**
 * The defaults of the stores of this package, `@lethe/redis` and `@lethe/postgres`, for other stores that implement the same interfaces.
 *
 * @example
 * import { storeDefaults } from "@lethe/server/stores";
 *
 * console.log(storeDefaults.events.maxEvents); // 256
 */
export const storeDefaults: StoreDefaults = {
  singleUse: { maxStates: 100_000, maxStatesPerCaller: 10_000, keepAnswersMs: 60_000 },
  events: { maxEvents: 256, maxBytes: 1024 * 1024, maxStreams: 10_000, maxAgeMs: 120_000 },
  sessions: { ttlMs: 30 * 86_400_000, maxSessions: 10_000, maxSize: 16 * 1024 * 1024 },
  tasks: { maxIdLength: 200 },
};

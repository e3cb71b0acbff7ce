// Remembers which sessions have lost their state, until their callers learn of it, and counts them. This replica keeps the lease of such a session, so
// that the caller's next request arrives here, wherever the caller sends it.
import { type Clock, type Directory, every, systemClock } from "@lethe/server/stores";

/** Why the state of a session is lost. */
export type LossCause =
  /** The process of the server ended, or the connection to the server broke. */
  | "upstream_restarted"
  /** The server no longer knows the session. */
  | "session_ended"
  /** The replica of the gateway that owned the session failed or was stopped. */
  | "replica_lost"
  /** The gateway closed the session to make room for another one. */
  | "evicted"
  /** The session was idle for `sessions.idleMs`, or older than `sessions.lifetimeMs`. */
  | "expired"
  /** The configuration of the server changed. */
  | "reconfigured"
  /** The server was found to need other connections than it had. */
  | "replaced";

export interface LostSessionsOptions {
  /** The directory that leases sessions to this replica. */
  readonly directory: Pick<Directory, "release">;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** The number of remembered sessions. The oldest is forgotten first. Default 10,000. */
  readonly maxLost?: number;
  /** How long a session is remembered, in ms. Default one hour. */
  readonly lostTtlMs?: number;
}

interface LostSession {
  readonly cause: LossCause;
  /** By the clock, in ms. */
  readonly forgottenAt: number;
}

/** One for all upstreams of a gateway, because a changed upstream has new sessions for the same callers. */
export class LostSessions {
  readonly #directory: Pick<Directory, "release">;
  readonly #clock: Clock;
  readonly #maxLost: number;
  readonly #lostTtlMs: number;
  /** By the name of the session in the directory, the oldest first. */
  readonly #lost: Map<string, LostSession> = new Map();
  readonly #counts: Map<string, Map<LossCause, number>> = new Map();
  #stopSweeping: (() => void) | undefined;

  constructor({ directory, clock = systemClock, maxLost = 10_000, lostTtlMs = 3_600_000 }: LostSessionsOptions) {
    this.#directory = directory;
    this.#clock = clock;
    this.#maxLost = maxLost;
    this.#lostTtlMs = lostTtlMs;
  }

  get size(): number {
    return this.#lost.size;
  }

  has(name: string): boolean {
    return this.#lost.has(name);
  }

  /** A session that is already lost keeps its first cause. */
  add(name: string, cause: LossCause): void {
    if (this.#lost.has(name)) return;
    const [oldest] = this.#lost.keys();
    if (oldest !== undefined && this.#lost.size >= this.#maxLost) this.#forget(oldest);
    this.#lost.set(name, { cause, forgottenAt: this.#clock.now() + this.#lostTtlMs });
    this.#stopSweeping ??= every(this.#clock, this.#lostTtlMs / 4, () => this.#sweep());
  }

  /** Returns the cause once. Undefined for a session that is not lost. The lease stays. */
  take(name: string): LossCause | undefined {
    const lost = this.#lost.get(name);
    if (lost === undefined) return undefined;
    this.#lost.delete(name);
    return lost.cause;
  }

  /** Counts a session of an upstream that lost its state. */
  count(upstream: string, cause: LossCause): void {
    let counts = this.#counts.get(upstream);
    if (!counts) {
      counts = new Map();
      this.#counts.set(upstream, counts);
    }
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }

  /** How many sessions of an upstream lost their state since the start, by cause. Causes that did not occur are absent. */
  countsOf(upstream: string): Readonly<Partial<Record<LossCause, number>>> {
    return Object.fromEntries(this.#counts.get(upstream) ?? []);
  }

  close(): void {
    this.#stopSweeping?.();
    this.#lost.clear();
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [name, { forgottenAt }] of this.#lost) {
      if (forgottenAt > now) break;
      this.#forget(name);
    }
    if (this.#lost.size > 0) return;
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }

  #forget(name: string): void {
    this.#lost.delete(name);
    this.#directory.release(name);
  }
}

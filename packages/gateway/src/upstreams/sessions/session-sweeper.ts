// Finds the sessions of a pool that have been idle for too long or are too old: a few at a time, because the end of a session is a
// request to its server.
import type { FilledLimits } from "./pool-limits.ts";
import type { Session } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

const longestPauseMs = 30_000;
/** Sessions of one sweep. Thousands at once would block the event loop, and overrun the server. */
const maxExpired = 100;
/** The pause before the next sweep if there are more, in ms. */
const shortPauseMs = 250;

export interface SessionSweeperOptions {
  readonly limits: Pick<FilledLimits, "idleMs" | "lifetimeMs">;
  /** Whether the gateway's own session stays open. */
  readonly keepsOwn: boolean;
  /** Called at intervals, to end the sessions that `expired` returns. */
  sweep(): void;
}

export class SessionSweeper {
  readonly #options: SessionSweeperOptions;
  readonly #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #hasMore = false;
  #isClosed = false;

  constructor(options: SessionSweeperOptions) {
    const { idleMs, lifetimeMs } = options.limits;
    this.#options = options;
    this.#pauseMs = Math.max(1, Math.min(longestPauseMs, idleMs / 4, lifetimeMs / 4));
  }

  /** Starts the sweeps, unless they have begun. */
  start(): void {
    if (this.#timer === undefined) this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Looks at no session behind the first one that is not old enough. */
  expired({ idle, byAge }: Pick<SessionTable, "idle" | "byAge">): readonly Session[] {
    const { idleMs, lifetimeMs } = this.#options.limits;
    const now = Date.now();
    const found = new Set<Session>();
    this.#collect(found, idle, (session) => session.idleMs >= idleMs);
    this.#collect(found, byAge, ({ startedAt }) => now - startedAt >= lifetimeMs);
    this.#hasMore = found.size > maxExpired;
    return [...found].slice(0, maxExpired);
  }

  #collect(found: Set<Session>, oldestFirst: Iterable<Session>, isExpired: (session: Session) => boolean): void {
    for (const session of oldestFirst) {
      if (found.size > maxExpired || !isExpired(session)) return;
      if (!session.key.isOwn || !this.#options.keepsOwn) found.add(session);
    }
  }

  #wait(): void {
    if (this.#isClosed) return;
    const run = (): void => {
      this.#options.sweep();
      this.#wait();
    };
    this.#timer = setTimeout(run, this.#hasMore ? Math.min(shortPauseMs, this.#pauseMs) : this.#pauseMs).unref();
  }
}

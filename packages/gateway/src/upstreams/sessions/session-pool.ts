// The sessions of one upstream: opened on demand, limited in number, and closed when they are idle.
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "@lethe/client";
import type { McpError } from "@lethe/protocol";
import type { Upstream } from "../connection/upstream.ts";
import { notStarted } from "../connection/upstream-error.ts";
import { evictedForAnother, evictedForCaller } from "./evictions.ts";
import type { LossCause } from "./lost-sessions.ts";
import type { FilledLimits } from "./pool-limits.ts";
import { Session, type SessionKey } from "./session.ts";
import { SessionEndings } from "./session-endings.ts";
import { SessionOpener } from "./session-opener.ts";
import { SessionSweeper } from "./session-sweeper.ts";
import { type PooledSessions, SessionTable } from "./session-table.ts";
import type { SingleTenantDetector } from "./single-tenant-detector.ts";
import { WaitQueue } from "./wait-queue.ts";

/** Idle time, in ms, after which the only session of a server ends for another caller that waits. Longer than a model usually thinks. */
const soleGraceMs = 20_000;
/** The pause between two connections, in ms, for a server that accepts one at a time. */
const lingerMs = 200;

export interface SessionPoolOptions {
  upstream: Upstream;
  limits: FilledLimits;
  /** Whether the gateway's own session stays open while it is idle. */
  keepsOwn: boolean;
  /** Knows whether the server accepts one connection at a time. */
  crowding: SingleTenantDetector;
  onOpen?(session: Session, connection: Connection): void;
  onRefused?(error: unknown): void;
  /** Called when new requests with the key of a session get another one, before `onEnd`. Not called when the pool closes. */
  onLoss?(session: Session, cause: LossCause): void;
  /** Called when a session has ended or was closed. */
  onEnd?(session: Session): void;
}

export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #table: SessionTable = new SessionTable();
  readonly #endings: SessionEndings = new SessionEndings((session) => this.tidy(session));
  readonly waiting: WaitQueue;
  readonly #opener: SessionOpener;
  readonly #sweeper: SessionSweeper;
  #turnTimer: NodeJS.Timeout | undefined;
  #isDraining = false;
  #isClosed = false;
  #onEmpty: (() => void) | undefined;
  /** The number of connections being closed. */
  #closing = 0;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
    const { crowding, limits, upstream } = options;
    this.waiting = new WaitQueue({ ...limits, refuse: () => this.#busy() });
    this.#sweeper = new SessionSweeper({ limits, keepsOwn: options.keepsOwn, sweep: () => this.#sweep() });
    this.#opener = new SessionOpener({
      ...{ upstream, detector: crowding, waiting: this.waiting },
      waitMs: () => this.#waitMs,
      openCount: () => this.#table.openCount,
      isNeeded: (id) => this.#table.byId(id) !== undefined,
      isQuiet: () => this.#isQuiet(),
      isAlone: (key, id) => this.#isAlone(key, id),
    });
  }

  get size(): number {
    return this.#table.size;
  }

  /** All sessions that are open or opening. */
  get sessions(): PooledSessions {
    return this.#table;
  }

  /** Returns the session for new requests with this key. */
  find(key: string): Session | undefined {
    return this.#table.find(key);
  }

  /** Returns a session by its id, also one that is retired but still has a pending call. */
  byId(id: string): Session | undefined {
    return this.#table.byId(id);
  }

  /**
   * How many more sessions may open without an end of another caller's session, for a key without one. Infinite for a session that takes no
   * place of others. `opening`: those that will open besides.
   */
  placesFor({ callerId, isOwn }: SessionKey, opening: number): number {
    const { max, maxPerCaller } = this.#options.limits;
    const takesNone = isOwn || this.#options.crowding.isKnown || this.#table.ofCaller(callerId).size >= maxPerCaller;
    return takesNone ? Number.POSITIVE_INFINITY : max - this.#table.counted - opening;
  }

  /** Returns or opens the session of a key. Waits if the pool is full. Rejects with McpError. */
  acquire(key: SessionKey): Session | Promise<Session> {
    return this.#table.find(key.value) ?? this.#tryOpen(key) ?? this.#openLater(key);
  }

  /** Ends a session immediately. `cause`: its state is lost. */
  async end(session: Session, cause?: LossCause): Promise<void> {
    if (!this.#forget(session, cause)) return;
    this.#closing += 1;
    try {
      const connection = await session.opened.catch(() => undefined);
      if (connection) await this.#options.upstream.close(connection);
      // Gives the server time to notice the end of the connection.
      if (this.#options.crowding.isKnown) await sleep(lingerMs);
    } finally {
      this.#closing -= 1;
      if (this.#options.crowding.isKnown) this.waiting.wake();
    }
  }

  /** Call this when a request has left a session. Closes the session if it is idle and no longer needed. */
  tidy(session: Session): void {
    if (!session.isIdle) return;
    if (session.isRetired || session.key.isSingleUse || this.#isDraining) void this.end(session);
    else if (this.#options.crowding.isSuspected) this.waiting.wake();
  }

  /** Retires the chosen sessions: they accept no new requests and end when they are idle. */
  retire(isChosen: (connection: Connection) => boolean): void {
    for (const session of [...this.#table]) {
      if (session.connection && isChosen(session.connection)) this.#retire(session, "replaced");
    }
  }

  /** Retires the session for new requests with this key. Without `cause`, another replica owns the key. */
  retireAt(key: string, cause?: LossCause): void {
    const session = this.#table.find(key);
    if (session) this.#retire(session, cause);
  }

  /**
   * Retires all sessions. Callers that wait for a session still get one. The gateway itself gets no new one. `cause`: other
   * sessions replace them.
   */
  drain(cause?: LossCause): void {
    this.#isDraining = true;
    for (const session of [...this.#table]) {
      this.#lose(session, cause);
      session.retire();
      this.#endings.add(session);
    }
    this.#table.drained();
  }

  /** Resolves when the pool is empty. */
  async untilEmpty(): Promise<void> {
    if (this.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#sweeper.close();
    this.#endings.close();
    clearTimeout(this.#turnTimer);
    for (const session of [...this.#table]) this.#forget(session);
  }

  #tryOpen(key: SessionKey): Session | undefined {
    return this.#hasRoom(key) ? this.#open(key) : undefined;
  }

  async #openLater(key: SessionKey): Promise<Session> {
    const startedAt = Date.now();
    for (;;) {
      await this.waiting.wait(startedAt + this.#waitMs - Date.now());
      const session = this.#table.find(key.value) ?? this.#tryOpen(key);
      if (session) return session;
    }
  }

  #open(key: SessionKey): Session {
    const { crowding, upstream } = this.#options;
    const id = crypto.randomUUID();
    const opened =
      this.#isClosed || (this.#isDraining && key.isOwn)
        ? Promise.reject(upstream.unavailable())
        : this.#opener.open(id, key);
    const session = new Session(key, opened, id);
    this.#table.add(session);
    session.opened.then(
      (connection) => {
        this.#table.opened(session);
        this.#options.onOpen?.(session, connection);
        void connection.closed.then(() => {
          if (this.#forget(session, "upstream_restarted")) crowding.ended(id, this.#table.openCount);
        });
      },
      (error: unknown) => {
        this.#forget(session);
        this.#options.onRefused?.(error);
      },
    );
    this.#sweeper.start();
    return session;
  }

  /** Makes room by closing an idle session: one of this caller if it has too many, else any. */
  #hasRoom(key: SessionKey): boolean {
    if (this.#options.crowding.isKnown) return this.#isAlone(key);
    const { callerId, isOwn } = key;
    if (isOwn) return true;
    const { max, maxPerCaller } = this.#options.limits;
    const table = this.#table;
    if (table.ofCaller(callerId).size >= maxPerCaller) return this.#evict(evictedForCaller(table, callerId));
    return table.counted < max || this.#evict(evictedForAnother(table));
  }

  /**
   * Allows one connection at a time, including the gateway's own, which makes room for any caller. `id` names a session that is
   * in the pool already: others that wait as it does are not in its way.
   */
  #isAlone({ isOwn }: SessionKey, id?: string): boolean {
    for (const session of isOwn ? [] : [...this.#table]) {
      if (session.key.isOwn && session.users === session.subscriptions) this.#retire(session, "evicted");
      else if (session.isIdle) this.#makeWay(session);
    }
    if (this.#closing > 0) return false;
    if (id === undefined) return this.size === 0;
    return [...this.#table].every((other) => other.id === id || this.#opener.isWaiting(other.id));
  }

  /** Ends an idle session for another caller that waits, now or when it was idle for long enough. */
  #makeWay(session: Session): void {
    const restMs = soleGraceMs - session.idleMs;
    const wake = () => {
      this.#turnTimer = undefined;
      this.waiting.wake();
    };
    if (restMs <= 0) void this.end(session, "evicted");
    else this.#turnTimer ??= setTimeout(wake, restMs).unref();
  }

  /** How long a request waits for a session, in ms. Callers of a server with one connection take turns. */
  get #waitMs(): number {
    const { crowding, limits } = this.#options;
    return crowding.isKnown ? Math.max(limits.waitMs, limits.turnWaitMs) : limits.waitMs;
  }

  #busy(): McpError {
    const { crowding, limits, upstream } = this.#options;
    const [reason, retryAfterMs] = crowding.isKnown
      ? ["serves one caller at a time, and another one is using it", soleGraceMs]
      : ["has no session to spare", limits.waitMs];
    return notStarted(upstream.name, "busy", reason, { retryAfterMs });
  }

  #isQuiet(): boolean {
    for (const { id, users, subscriptions } of this.#table.inUse) {
      if (users !== subscriptions && !this.#opener.isWaiting(id)) return false;
    }
    return true;
  }

  #evict(session: Session | undefined): boolean {
    if (session) void this.end(session, "evicted");
    return session !== undefined;
  }

  /** Only a session that gets new requests has something to lose. */
  #lose(session: Session, cause: LossCause | undefined): void {
    if (cause === undefined || session.isRetired || !this.#table.isCurrent(session)) return;
    this.#options.onLoss?.(session, cause);
  }

  #forget(session: Session, cause?: LossCause): boolean {
    if (this.#table.byId(session.id) !== session) return false;
    this.#lose(session, cause);
    this.#table.remove(session);
    this.#options.onEnd?.(session);
    this.waiting.wake();
    if (this.size === 0) this.#onEmpty?.();
    return true;
  }

  #sweep(): void {
    for (const session of this.#sweeper.expired(this.#table)) {
      if (session.idleMs >= this.#options.limits.idleMs) void this.end(session, "expired");
      else this.#retire(session, "expired");
    }
    // A session that was too recently used to be evicted may be old enough now.
    this.waiting.wake();
  }

  #retire(session: Session, cause: LossCause | undefined): void {
    this.#lose(session, cause);
    session.retire();
    this.#table.retire(session);
    this.#endings.add(session);
  }
}

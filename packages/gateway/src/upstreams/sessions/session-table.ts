// The sessions of a pool: by key, by id, by caller and by age, and their numbers. A pool may have tens of thousands, and requests, health
// checks and metrics ask about them, so each number is kept up to date instead of being counted.
import { CallerSessions } from "./caller-sessions.ts";
import { IdleOrder } from "./idle-order.ts";
import type { Session, UseFollower } from "./session.ts";

/** What others may read of the sessions of a pool. Iterates over all of them, the oldest first. */
export interface PooledSessions extends Iterable<Session> {
  readonly size: number;
  /** The number of sessions that count against the limits: not the gateway's own. */
  readonly counted: number;
  /** The number of sessions of the caller with most. */
  readonly mostOfCaller: number;
  /** The number of sessions that have a connection. */
  readonly openCount: number;
  /** Grows whenever a session opens, is retired or ends. */
  readonly version: number;
  /** Those that have a connection, up to this number. */
  open(limit: number): readonly Session[];
}

export class SessionTable implements PooledSessions, UseFollower {
  readonly #byKey: Map<string, Session> = new Map();
  readonly #byId: Map<string, Session> = new Map();
  readonly #callers: CallerSessions = new CallerSessions();
  readonly #open: Set<Session> = new Set();
  readonly #idle: IdleOrder<Session> = new IdleOrder();
  readonly #inUse: Set<Session> = new Set();
  #own = 0;
  #version = 0;

  get size(): number {
    return this.#byId.size;
  }

  get counted(): number {
    return this.#byId.size - this.#own;
  }

  get mostOfCaller(): number {
    return this.#callers.most;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get version(): number {
    return this.#version;
  }

  open(limit: number): readonly Session[] {
    const found: Session[] = [];
    for (const session of this.#open) {
      if (found.length === limit) break;
      found.push(session);
    }
    return found;
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#byId.values();
  }

  /** The session for new requests with this key. */
  find(key: string): Session | undefined {
    return this.#byKey.get(key);
  }

  byId(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  ofCaller(callerId: string | undefined): ReadonlySet<Session> {
    return this.#callers.of(callerId);
  }

  /** Those without users, the longest idle first. */
  get idle(): Iterable<Session> {
    return this.#idle;
  }

  /** Those with users. */
  get inUse(): Iterable<Session> {
    return this.#inUse;
  }

  /** Those that get new requests, the oldest first. */
  get byAge(): Iterable<Session> {
    return this.#byKey.values();
  }

  /** Whether new requests with the key of this session get it. */
  isCurrent(session: Session): boolean {
    return this.#byKey.get(session.key.value) === session;
  }

  add(session: Session): void {
    this.#byKey.set(session.key.value, session);
    this.#byId.set(session.id, session);
    this.#callers.add(session);
    if (session.key.isOwn) this.#own += 1;
    session.useFollower = this;
    this.#idle.add(session);
  }

  /** The session has a connection now. */
  opened(session: Session): void {
    if (!this.#byId.has(session.id)) return;
    this.#open.add(session);
    this.#version += 1;
  }

  /** Call this when sessions were retired that still get the requests that wait. */
  drained(): void {
    this.#version += 1;
  }

  /** New requests with the key of the session get another one. */
  retire(session: Session): void {
    if (this.isCurrent(session)) this.#byKey.delete(session.key.value);
    this.#version += 1;
  }

  /** Returns false if it was removed before. */
  remove(session: Session): boolean {
    if (!this.#byId.delete(session.id)) return false;
    if (this.isCurrent(session)) this.#byKey.delete(session.key.value);
    this.#callers.remove(session);
    if (session.key.isOwn) this.#own -= 1;
    this.#open.delete(session);
    this.#idle.remove(session);
    this.#inUse.delete(session);
    session.useFollower = undefined;
    this.#version += 1;
    return true;
  }

  entered(session: Session): void {
    this.#idle.remove(session);
    this.#inUse.add(session);
  }

  left(session: Session): void {
    this.#inUse.delete(session);
    this.#idle.add(session);
  }
}

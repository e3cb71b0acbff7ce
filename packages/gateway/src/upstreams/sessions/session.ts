// One session with an upstream: its connection, its key, and how many requests use it.
import type { Connection } from "@lethe/client";
import type { DeclaredExtensions } from "../../extensions/declared-extensions.ts";
import type { Idler } from "./idle-order.ts";
import type { LossCause } from "./lost-sessions.ts";
import type { WaitQueue } from "./wait-queue.ts";

/** Identifies a session within one upstream and names the caller it belongs to. */
export interface SessionKey {
  /** Requests with the same value share a session. */
  readonly value: string;
  readonly callerId: string | undefined;
  /** The handle by which the caller names the session. */
  readonly handle?: string;
  /** The session closes when nothing of its first call is left. */
  readonly isSingleUse?: boolean;
  /** The gateway's own session, which does not count against the limits. */
  readonly isOwn?: boolean;
  /** One of several sessions that callers share. Replicas never lease it. */
  readonly isSpare?: boolean;
  /** The gateway's own session as anonymous callers use it. Only one replica owns it. */
  readonly isAnonymous?: boolean;
  /** The extensions that the gateway declares when it opens the session. Default: none. */
  readonly declared?: DeclaredExtensions;
}

/** Learns when sessions get their first user and lose their last one. */
export interface UseFollower {
  entered(session: Session): void;
  left(session: Session): void;
}

export class Session implements Idler<Session> {
  /** Unguessable. */
  readonly id: string;
  readonly key: SessionKey;
  /** Undefined until the session is open. */
  connection: Connection | undefined = undefined;
  /** Rejects with McpError. */
  readonly opened: Promise<Connection>;
  readonly startedAt: number = Date.now();
  /** Whether a call has had a result in this session, so that the session may hold state. */
  hasServed = false;
  /** Why the state of the caller's session before this one is lost, until the caller learns of it. */
  loss: LossCause | undefined = undefined;
  /** The value of `connection.lostSessions` that has been noted. */
  knownLosses: number | undefined = undefined;
  /** The pool, while the session is in it. */
  useFollower: UseFollower | undefined = undefined;
  idleForLonger: Session | undefined = undefined;
  idleForLess: Session | undefined = undefined;
  /** Created with the first subscription. */
  #subscriptions: Set<() => void> | undefined;
  #isRetired = false;
  #usedAt: number = this.startedAt;
  #users = 0;
  #isBusy = false;

  constructor(key: SessionKey, opened: Promise<Connection>, id: string) {
    this.id = id;
    this.key = key;
    this.opened = opened;
    opened.then(
      (connection) => {
        this.connection = connection;
        this.knownLosses = connection.lostSessions;
      },
      () => {},
    );
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Ends subscriptions. Running requests and pending calls may finish. */
  retire(): void {
    this.#isRetired = true;
    for (const end of this.#subscriptions ?? []) end();
  }

  /** The number of running subscriptions. */
  get subscriptions(): number {
    return this.#subscriptions?.size ?? 0;
  }

  /** Settles like `running`, or with `over` when the session is retired, so that the subscription can move to another one. */
  subscribe<T>(running: Promise<T>, over: T): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => resolve(over);
      this.#subscriptions ??= new Set();
      this.#subscriptions.add(end);
      if (this.#isRetired) end();
      running.finally(() => this.#subscriptions?.delete(end)).then(resolve, reject);
    });
  }

  /** The number of requests, pending calls and resource subscriptions in this session. */
  get users(): number {
    return this.#users;
  }

  /** True when the session has no users. */
  get isIdle(): boolean {
    return this.#users === 0;
  }

  /** Milliseconds since the last use. 0 while the session is in use. */
  get idleMs(): number {
    return this.isIdle ? Date.now() - this.#usedAt : 0;
  }

  /** Counts a request, a pending call or a resource subscription. Each `enter` needs one `leave`. */
  enter(): void {
    this.#users += 1;
    if (this.#users === 1) this.useFollower?.entered(this);
  }

  leave(): void {
    this.#users -= 1;
    this.#usedAt = Date.now();
    if (this.isIdle) this.useFollower?.left(this);
  }

  /** Waits until no other request runs, for a session that takes one at a time. Rejects when the queue refuses to wait. */
  async takeTurn(waiting: WaitQueue): Promise<void> {
    const deadline = Date.now() + waiting.waitMs;
    while (this.#isBusy) await waiting.wait(deadline - Date.now());
    this.#isBusy = true;
  }

  giveTurn(waiting: WaitQueue): void {
    this.#isBusy = false;
    waiting.wake();
  }
}

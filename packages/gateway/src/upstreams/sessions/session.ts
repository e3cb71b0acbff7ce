// One session with an upstream: a connection, and who is using it.
import type { Connection } from "@lethe/client";
import type { WaitingRoom } from "./wait-queue.ts";

/** Whose session it is, and what names it. */
export interface Place {
  /** Same key, same session. */
  readonly key: string;
  readonly callerId: string | undefined;
  /** What the caller names it by. */
  readonly handle?: string;
  /** Closed when nothing of its first call is left. */
  readonly isSingleUse?: boolean;
  /** The gateway's own: there is always room for it. */
  readonly isOwn?: boolean;
  /** One of several that callers share: never claimed among replicas. */
  readonly isSpare?: boolean;
  /** The own one as callers have it who have no name: all of them share that of one replica. */
  readonly isNobodys?: boolean;
}

export class Session {
  /** Unguessable. */
  readonly id: string = crypto.randomUUID();
  readonly place: Place;
  /** Undefined until it is open. */
  connection: Connection | undefined = undefined;
  /** Rejects with McpError. */
  readonly opened: Promise<Connection>;
  readonly startedAt: number = Date.now();
  readonly #subscriptions: Set<() => void> = new Set();
  #isRetired = false;
  #usedAt: number = this.startedAt;
  #users = 0;
  #isTaken = false;

  constructor(place: Place, opened: Promise<Connection>) {
    this.place = place;
    this.opened = opened;
    opened.then(
      (connection) => {
        this.connection = connection;
      },
      () => {},
    );
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** What runs or waits in it is let finish. */
  retire(): void {
    this.#isRetired = true;
    for (const end of this.#subscriptions) end();
  }

  /** How many run in it. */
  get subscriptions(): number {
    return this.#subscriptions.size;
  }

  /** Settles like `running`, or with `over` when the session gives no new requests any more: it is then to go elsewhere. */
  subscribe<T>(running: Promise<T>, over: T): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => resolve(over);
      this.#subscriptions.add(end);
      if (this.#isRetired) end();
      running.finally(() => this.#subscriptions.delete(end)).then(resolve, reject);
    });
  }

  /** Requests, parked calls and watched resources. */
  get users(): number {
    return this.#users;
  }

  /** Nobody uses it, and nothing waits in it. */
  get isIdle(): boolean {
    return this.#users === 0;
  }

  /** ms since somebody used it last. */
  get idleMs(): number {
    return this.isIdle ? Date.now() - this.#usedAt : 0;
  }

  /** A request, a parked call or a watched resource; each `enter` is followed by one `leave`. */
  enter(): void {
    this.#users += 1;
  }

  leave(): void {
    this.#users -= 1;
    this.#usedAt = Date.now();
  }

  /** For a session that takes one request at a time. Rejects with what `waiting` rejects with. */
  async takeTurn(waiting: WaitingRoom): Promise<void> {
    const deadline = Date.now() + waiting.waitMs;
    while (this.#isTaken) await waiting.wait(deadline - Date.now());
    this.#isTaken = true;
  }

  giveTurn(waiting: WaitingRoom): void {
    this.#isTaken = false;
    waiting.wake();
  }
}

// Opens the connections of a session pool. A server that may accept one connection at a time gets one opening at a time, and a
// session whose opening was displaced by another connection is opened again, because its requests have not started.
import type { Connection } from "@lethe/client";
import type { Upstream } from "../connection/upstream.ts";
import { hasBrokenOff } from "../connection/upstream-error.ts";
import type { SessionKey } from "./session.ts";
import type { SingleTenantDetector } from "./single-tenant-detector.ts";
import type { WaitQueue } from "./wait-queue.ts";

/** One opening beside another one, two that prove the displacement, and one alone. */
const maxAttempts = 4;
/** How long an opening waits for running requests, in ms, because it might break them off. */
const quietMs = 2_000;

export interface SessionOpenerOptions {
  readonly upstream: Upstream;
  readonly detector: SingleTenantDetector;
  readonly waiting: WaitQueue;
  /** How long an opening waits for its turn, in ms. */
  waitMs(): number;
  /** The number of open sessions. */
  openCount(): number;
  /** Whether the pool still needs this session. */
  isNeeded(id: string): boolean;
  /** Whether no session runs a request, except those that wait for their turn. */
  isQuiet(): boolean;
  /** Whether this session may have the only connection. Makes room if possible. */
  isAlone(key: SessionKey, id: string): boolean;
}

export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  /** The sessions being opened, including those that wait for back-off. */
  readonly #opening: Set<string> = new Set();
  /** The sessions that wait for their turn. */
  readonly #waiting: Set<string> = new Set();
  /** The number of connections being opened, without those that wait for back-off. */
  #connecting = 0;

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** Whether this session waits for its turn: it has no connection, and none is being opened for it. */
  isWaiting(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Rejects with McpError. */
  async open(id: string, key: SessionKey): Promise<Connection> {
    const { detector, waiting, isNeeded, openCount } = this.#options;
    for (let attempt = 1; ; attempt++) {
      if (detector.isSuspected) await this.#turn(id, key);
      try {
        const connection = await this.#connect(id, key);
        detector.opened(id);
        if (detector.isSuspected) waiting.wake();
        return connection;
      } catch (error) {
        const isDisplaced = hasBrokenOff(error) && detector.ended(id, openCount());
        if (!isDisplaced || attempt === maxAttempts || !isNeeded(id)) throw error;
      }
    }
  }

  async #connect(id: string, { callerId, declared }: SessionKey): Promise<Connection> {
    const { detector, upstream, openCount } = this.#options;
    let hasBegun = false;
    const begin = () => {
      detector.begins(id, openCount(), this.#connecting);
      hasBegun = true;
      this.#connecting += 1;
    };
    this.#opening.add(id);
    try {
      return await upstream.open(callerId, { declared, onStart: begin });
    } finally {
      this.#opening.delete(id);
      if (hasBegun) this.#connecting -= 1;
    }
  }

  /** Resolves when this session may be opened. Rejects with McpError if that takes too long. */
  async #turn(id: string, key: SessionKey): Promise<void> {
    const { detector, upstream, waiting, waitMs, isNeeded, isQuiet, isAlone } = this.#options;
    const startedAt = Date.now();
    const mayOpen = () => {
      if (detector.isKnown) return isAlone(key, id);
      return this.#opening.size === 0 && (isQuiet() || Date.now() - startedAt >= quietMs);
    };
    const timer = setTimeout(() => waiting.wake(), quietMs);
    this.#waiting.add(id);
    // A failed attempt of this session may have been in the way of others.
    waiting.wake();
    try {
      while (!mayOpen()) {
        await waiting.wait(startedAt + waitMs() - Date.now());
        if (!isNeeded(id)) throw upstream.unavailable(key.callerId);
      }
      // At once, so that the next one that checks has to wait.
      this.#opening.add(id);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }
}

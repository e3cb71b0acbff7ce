// Requests that wait for their session to open, limited in number and by the start time of the upstream.
import { type Connection, TransportError } from "@lethe/client";
import { type Exchange, type ModernRequest, onAbort } from "@lethe/protocol";
import { withStartProgress } from "../connection/start-progress.ts";
import type { Upstream } from "../connection/upstream.ts";
import { withTimeout } from "../connection/with-timeout.ts";
import type { FilledLimits } from "./pool-limits.ts";
import type { Session } from "./session.ts";

export class SessionStarts {
  readonly #upstream: Upstream;
  readonly #limits: FilledLimits;
  #waiting = 0;

  constructor(upstream: Upstream, limits: FilledLimits) {
    this.#upstream = upstream;
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How long one request waits at most, in ms: for the back-off, and then for the start. */
  get waitMs(): number {
    return this.#limits.waitMs + this.#upstream.startTimeoutMs;
  }

  /**
   * Rejects with McpError if the session cannot open, if it takes too long or if too many requests wait. Also rejects when
   * `left` does.
   */
  async wait(session: Session, left?: Promise<never>): Promise<Connection> {
    const { waitMs, maxWaiting } = this.#limits;
    const upstream = this.#upstream;
    const { callerId } = session.key;
    if (this.#waiting >= maxWaiting || upstream.delayMsOf(callerId) > waitMs) throw upstream.unavailable(callerId);
    this.#waiting += 1;
    try {
      const opened = left === undefined ? session.opened : Promise.race([session.opened, left]);
      return await withTimeout(this.waitMs, opened, () => upstream.unavailable(callerId));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Waits for the request of a caller, which receives progress meanwhile and may cancel. */
  async waitFor(session: Session, request: ModernRequest, exchange: Exchange): Promise<Connection> {
    const { name } = this.#upstream;
    const left = new Promise<never>((_, reject) => {
      onAbort(exchange, () => reject(new TransportError("cancelled", `${name}: cancelled while it started`)));
    });
    return withStartProgress(name, this.wait(session, left), request, exchange);
  }
}

// Requests that wait for their session to open: so many, and so long.
import type { Connection } from "@lethe/client";
import type { Upstream } from "../upstream/upstream.ts";
import { within } from "../upstream/within.ts";
import type { Session } from "./session.ts";
import type { FilledLimits } from "./session-pool.ts";

export class Openings {
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

  /** Rejects with McpError when it cannot open, not in time, or when too many wait. */
  async wait(session: Session): Promise<Connection> {
    const { waitMs, maxWaiting } = this.#limits;
    const upstream = this.#upstream;
    const { callerId } = session.place;
    if (this.#waiting >= maxWaiting || upstream.delayMsOf(callerId) > waitMs) throw upstream.unavailable(callerId);
    this.#waiting += 1;
    try {
      return await within(waitMs, session.opened, () => upstream.unavailable(callerId));
    } finally {
      this.#waiting -= 1;
    }
  }
}

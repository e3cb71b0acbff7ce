// The lease of a worker, judged by its own clock: from before the renewal was sent, and only after it succeeded.
import type { Clock } from "../clock/clock.ts";

export class WorkerLease {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #waiting: { resolve(): void; reject(error: Error): void }[] = [];

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** False when the last renewal is too long ago: other workers may have taken the tasks of this one. */
  get isValid(): boolean {
    return this.covers(this.#renewedAt);
  }

  /** While it is true, no other worker can hold what the store gave or confirmed to this one on a request sent at this time. */
  covers(sentAt: number): boolean {
    return !this.#isOver && this.#clock.now() < sentAt + this.#leaseMs;
  }

  /** True when a third of the lease has passed. */
  get isDue(): boolean {
    return this.#clock.now() - this.#renewedAt >= this.#leaseMs / 3;
  }

  /** The store renewed the lease, and this worker knows which tasks it still holds. */
  renewed(sentAt: number): void {
    this.#renewedAt = sentAt;
    // The answer may have taken longer than the lease.
    if (!this.isValid) return;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Resolves with the next renewal whose answer comes within the lease. Rejects when the worker ends. */
  whenRenewed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  end(): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the server is closing"));
  }
}

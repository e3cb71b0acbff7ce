// The lease of a worker, judged by its own clock: from before the renewal was sent, and only after it succeeded.
import type { Clock } from "../clock/clock.ts";

export class WorkerLease {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  #until = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #waiting: { resolve(): void; reject(error: Error): void }[] = [];

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** While it is true, no other worker can hold a task of this one. */
  get isValid(): boolean {
    return this.#clock.now() < this.#until;
  }

  /** True when a third of the lease has passed. */
  get isDue(): boolean {
    return this.#clock.now() - this.#renewedAt >= this.#leaseMs / 3;
  }

  /** The store renewed the lease, and this worker knows which tasks it still holds. */
  renewed(sentAt: number): void {
    this.#renewedAt = sentAt;
    this.#until = sentAt + this.#leaseMs;
    // The answer may have taken longer than the lease.
    if (!this.isValid) return;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Resolves with the next renewal. Rejects when the worker ends. */
  whenValid(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  end(): void {
    this.#until = Number.NEGATIVE_INFINITY;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the server is closing"));
  }
}

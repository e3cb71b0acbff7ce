// One circuit breaker per caller, so that a caller whose sessions keep failing does not delay other callers.
import { CircuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";

const maxCallers = 1_000;

export class CallerBreakers {
  readonly #options: CircuitBreakerOptions | undefined;
  /** The breakers of callers whose last session failed, the oldest entry first. */
  readonly #gates: Map<string, CircuitBreaker> = new Map();

  constructor(options?: CircuitBreakerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#gates.size;
  }

  /** Returns the ms until this caller may try again, or 0. */
  delayMsOf(callerId: string | undefined): number {
    return callerId === undefined ? 0 : (this.#gates.get(callerId)?.delayMs ?? 0);
  }

  failed(callerId: string): void {
    const gate = this.#gates.get(callerId) ?? new CircuitBreaker(this.#options);
    gate.failed();
    this.#gates.delete(callerId);
    this.#gates.set(callerId, gate);
    if (this.#gates.size <= maxCallers) return;
    const [longestKnown] = this.#gates.keys();
    if (longestKnown !== undefined) this.#gates.delete(longestKnown);
  }

  succeeded(callerId: string): void {
    this.#gates.delete(callerId);
  }
}

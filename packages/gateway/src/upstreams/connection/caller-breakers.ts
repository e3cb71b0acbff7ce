// The back-off of single callers: what the calls of one do to their own sessions keeps nobody else waiting.
import { CircuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";

const maxCallers = 1_000;

export class CallerBreakers {
  readonly #options: CircuitBreakerOptions | undefined;
  /** Of those whose last session failed, the longest known first. */
  readonly #gates: Map<string, CircuitBreaker> = new Map();

  constructor(options?: CircuitBreakerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#gates.size;
  }

  /** ms until the next try of this caller; 0 for now. */
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

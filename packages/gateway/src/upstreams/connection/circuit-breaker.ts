// Limits how often a failing upstream is retried: back-off after each failure, and an open circuit after several in a row. An
// open circuit rejects requests at once instead of letting each of them wait.
import type { KnownOptions } from "@lethe/protocol";
import { defaultRestart } from "../../config/schema/defaults.ts";
import { type BackoffOptions, backoffMs, knownBackoffOptions } from "./backoff.ts";

export interface CircuitBreakerOptions extends BackoffOptions {
  /** The number of consecutive failures that open the circuit. Default 5. */
  maxFailures?: number;
}

export const knownCircuitBreakerOptions: KnownOptions<CircuitBreakerOptions> = {
  ...knownBackoffOptions,
  maxFailures: true,
};

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #now: () => number;
  #failures = 0;
  #nextTryAt = 0;
  /** Whether a request was admitted through the open circuit to test the upstream. */
  #isTrying = false;

  constructor(options: CircuitBreakerOptions = {}, now: () => number = Date.now) {
    this.#options = options;
    this.#now = now;
  }

  /** The number of consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether the circuit is open. It then admits one request per back-off. */
  get isOpen(): boolean {
    return this.#failures >= (this.#options.maxFailures ?? defaultRestart.maxFailures);
  }

  /** The ms until the next try, or 0. */
  get delayMs(): number {
    return Math.max(0, this.#nextTryAt - this.#now());
  }

  /** Returns 0 to admit a request, else the ms to wait before the next try. An open circuit admits one request per back-off. */
  admit(): number {
    if (!this.isOpen) return 0;
    const { delayMs } = this;
    if (delayMs > 0) return delayMs;
    this.#isTrying = true;
    this.#nextTryAt = this.#now() + backoffMs(this.#failures, this.#options);
    return 0;
  }

  /**
   * Counts a failure and returns the ms until the next try. Further failures before that belong to the same outage and are not
   * counted, so that one short outage with many running requests does not open the circuit.
   */
  failed(): number {
    const { delayMs: leftMs } = this;
    if (leftMs > 0 && !this.#isTrying) return leftMs;
    this.#isTrying = false;
    this.#failures += 1;
    const delayMs = Math.round(backoffMs(this.#failures, this.#options));
    this.#nextTryAt = this.#now() + delayMs;
    return delayMs;
  }

  /** The upstream has started, which does not prove that it works: the circuit closes, and one more failure opens it again. */
  started(): void {
    this.#failures = Math.min(this.#failures, (this.#options.maxFailures ?? defaultRestart.maxFailures) - 1);
    this.#nextTryAt = 0;
    this.#isTrying = false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#nextTryAt = 0;
    this.#isTrying = false;
  }
}

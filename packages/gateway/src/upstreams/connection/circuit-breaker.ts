// Decides when an upstream that fails may be tried again: back-off after each failure, and after several in a row a circuit
// breaker, so that callers hear at once what they would else wait for.
import { type BackoffOptions, backoffMs } from "./backoff.ts";

export interface CircuitBreakerOptions extends BackoffOptions {
  /** So many failures in a row open the circuit. Default 5. */
  maxFailures?: number;
}

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #now: () => number;
  #failures = 0;
  #nextTryAt = 0;
  /** Somebody was let in through the open circuit to find out. */
  #isTrying = false;

  constructor(options: CircuitBreakerOptions = {}, now: () => number = Date.now) {
    this.#options = options;
    this.#now = now;
  }

  /** How many times in a row it failed. */
  get failures(): number {
    return this.#failures;
  }

  /** True when several failed in a row: whoever comes is told so at once, but for one now and then that tries. */
  get isOpen(): boolean {
    return this.#failures >= (this.#options.maxFailures ?? 5);
  }

  /** ms until the next try; 0 for now. */
  get delayMs(): number {
    return Math.max(0, this.#nextTryAt - this.#now());
  }

  /** 0 lets a request in. Else how long to stay away, in ms. While the circuit is open, one is let in per back-off. */
  admit(): number {
    if (!this.isOpen) return 0;
    const { delayMs } = this;
    if (delayMs > 0) return delayMs;
    this.#isTrying = true;
    this.#nextTryAt = this.#now() + backoffMs(this.#failures, this.#options);
    return 0;
  }

  /**
   * Returns the ms until the next try. What fails before that is over is the same outage, however many notice it: a moment's
   * absence does not keep away the thousand who were in the middle of something.
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

  /** It has started, which does not show yet that it works: requests are let in, and the next failure counts on. */
  started(): void {
    this.#failures = Math.min(this.#failures, (this.#options.maxFailures ?? 5) - 1);
    this.#nextTryAt = 0;
    this.#isTrying = false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#nextTryAt = 0;
    this.#isTrying = false;
  }
}

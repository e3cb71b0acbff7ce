// Detects that this process did not run for a while: it was suspended, or its event loop was blocked. Requests that arrived in the
// meantime wait in the kernel, and their clients may have left.

/** The interval of the timer whose delay shows a stall, in ms. */
const beatMs = 250;
/** A longer delay is a stall, in ms. */
const maxDelayMs = 1_000;
/** How long after a stall input may still come from before it, in ms. */
const staleMs = 1_000;

export class StallDetector {
  readonly #timer: NodeJS.Timeout;
  #beatAt: number = performance.now();
  #staleUntil = 0;

  constructor() {
    this.#timer = setInterval(() => this.#beat(performance.now()), beatMs).unref();
  }

  /** Whether a request that arrives now may have waited since before a stall. */
  get isStale(): boolean {
    const now = performance.now();
    // After a stall, input may be processed before the timer runs.
    if (now - this.#beatAt > beatMs + maxDelayMs) this.#beat(now);
    return now < this.#staleUntil;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #beat(now: number): void {
    if (now - this.#beatAt > beatMs + maxDelayMs) this.#staleUntil = now + staleMs;
    this.#beatAt = now;
  }
}

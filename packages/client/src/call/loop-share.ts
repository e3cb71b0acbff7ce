// One peer's share of the event loop: reading what it sends may not keep all other work of this process waiting.

/**
 * Work beyond its share for which a peer need not rest yet, in ms: an ordinary large message takes less. Longer work is done in
 * several turns of the event loop where it can be divided.
 */
const burstMs = 5;

/**
 * A peer gets at most half of the event loop: after its messages took some milliseconds, the next ones wait as long. What it
 * sends meanwhile stays in the pipe or the socket, and slows down the peer alone.
 */
export class LoopShare {
  /** Until then all that was done for the peer was more than its share. */
  #paidAt = 0;
  readonly #now: () => number;

  constructor(now: () => number = systemNow) {
    this.#now = now;
  }

  /** Work for the peer has just ended, which began at `startedAt` (ms of `performance.now()`). Returns how long it took. */
  spend(startedAt: number): number {
    const tookMs = this.#now() - startedAt;
    this.#paidAt = Math.max(this.#paidAt, startedAt) + 2 * tookMs;
    return tookMs;
  }

  /** True when work that began at `startedAt` should be interrupted: call `spend`, then `rest`. */
  isTurnOver(startedAt: number): boolean {
    return this.#now() - startedAt > burstMs;
  }

  /** How long reading must pause, in ms. 0 if it may continue at once. */
  get restMs(): number {
    const left = this.#paidAt - this.#now();
    return left > burstMs ? left : 0;
  }

  /** Resolves when reading may continue. Check `restMs` first: usually there is nothing to wait for. */
  async rest(): Promise<void> {
    // Several readers of one peer wake up together, and the first of them may use the share up.
    for (let ms = this.restMs; ms > 0; ms = this.restMs) await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function systemNow(): number {
  return performance.now();
}

// The pause before a worker is started again: none at first, then longer with each one that ends soon.

const firstMs = 500;
const longestMs = 30_000;
/** A worker that ran for this long was healthy, in ms. */
const healthyMs = 60_000;

export class RestartPause {
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `start` after the pause. Returns its length in ms. */
  begin(ranForMs: number, start: () => void): number {
    if (ranForMs >= healthyMs) this.#failures = 0;
    const pauseMs = this.#failures === 0 ? 0 : Math.min(firstMs * 2 ** (this.#failures - 1), longestMs);
    this.#failures += 1;
    this.#timer = setTimeout(start, pauseMs);
    return pauseMs;
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }
}

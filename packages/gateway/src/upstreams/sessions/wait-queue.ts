// Requests that wait for something to become free: so many, and so long.
import type { McpError } from "@lethe/protocol";

export interface WaitQueueOptions {
  maxWaiting: number;
  /** How long one request waits in all, in ms. */
  waitMs: number;
  /** What a request ends in that cannot wait, or has waited in vain. */
  refuse(): McpError;
}

export class WaitQueue {
  readonly waitMs: number;
  readonly #options: WaitQueueOptions;
  readonly #waiting: Set<() => void> = new Set();

  constructor(options: WaitQueueOptions) {
    this.#options = options;
    this.waitMs = options.waitMs;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves when something may have become free: look again. */
  wait(ms: number): Promise<void> {
    const { maxWaiting, refuse } = this.#options;
    if (ms <= 0 || this.#waiting.size >= maxWaiting) return Promise.reject(refuse());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(refuse());
      }, ms);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(go);
    });
  }

  /** Whoever came first looks first. */
  wake(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const go of woken) go();
  }
}

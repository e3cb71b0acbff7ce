// Requests that wait for a free session or a turn, limited in number and time.
import type { McpError } from "@lethe/protocol";

export interface WaitQueueOptions {
  maxWaiting: number;
  /** How long one request waits in all, in ms. */
  waitMs: number;
  /** Returns the error for a request that cannot wait or has waited too long. */
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

  /** Resolves when something may have become free. The caller must check again. */
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

  /** Wakes all waiting requests in the order of their arrival. */
  wake(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const go of woken) go();
  }
}

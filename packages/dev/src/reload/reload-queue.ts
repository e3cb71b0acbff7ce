// Runs one reload at a time. Changes during a reload lead to one more; a reload that hangs is abandoned for it.

export interface ReloadQueueOptions {
  /** Must not reject. */
  reload(signal: AbortSignal): Promise<void>;
  /** A change abandons a reload that takes longer, in ms. */
  readonly patienceMs?: number;
  readonly now?: () => number;
}

export class ReloadQueue {
  readonly #options: Required<ReloadQueueOptions>;
  #running: { readonly stop: AbortController; readonly since: number } | undefined;
  #isWanted = false;
  #isClosed = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(options: ReloadQueueOptions) {
    this.#options = { patienceMs: 5_000, now: () => performance.now(), ...options };
  }

  /** Resolves when no reload is wanted or running. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  request(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    const { now, patienceMs } = this.#options;
    if (!this.#running) this.#idle = this.#run();
    else if (now() - this.#running.since > patienceMs)
      this.#running.stop.abort(new Error("replaced by a later change"));
  }

  /** Abandons the running reload. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isWanted = false;
    this.#running?.stop.abort(new Error("closed"));
    await this.#idle;
  }

  async #run(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      const stop = new AbortController();
      this.#running = { stop, since: this.#options.now() };
      await this.#options.reload(stop.signal);
      this.#running = undefined;
    }
  }
}

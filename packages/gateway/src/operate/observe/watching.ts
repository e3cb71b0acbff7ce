// Whether an administrator looks at the gateway: steps of requests are recorded only then.

/** How long one look counts, in ms. */
const lookMs = 60_000;

export class Watching {
  #hasLooked = false;
  #timer: NodeJS.Timeout | undefined;
  #open = 0;

  get isOn(): boolean {
    return this.#open > 0 || this.#hasLooked;
  }

  /** An administrator asks for something now. */
  look(): void {
    this.#hasLooked = true;
    this.#timer ??= setTimeout(() => this.stop(), lookMs).unref();
    this.#timer.refresh();
  }

  /** An administrator follows the gateway. Returns a function that ends this. */
  follow(): () => void {
    let isOpen = true;
    this.#open += 1;
    return () => {
      if (isOpen) this.#open -= 1;
      isOpen = false;
    };
  }

  stop(): void {
    this.#hasLooked = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

// Whether an administrator looks at the gateway: steps of requests are recorded only then.

/** How long one look counts, in ms. */
const lookMs = 60_000;

export class Watching {
  #isOn = false;
  #timer: NodeJS.Timeout | undefined;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** An administrator asks for something now. */
  look(): void {
    this.#isOn = true;
    this.#timer ??= setTimeout(() => this.stop(), lookMs).unref();
    this.#timer.refresh();
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

// Whether an administrator looks at the gateway: steps of requests are recorded only then, and of a limited number of requests.

/** How long one look counts, in ms. */
const lookMs = 60_000;
/** Requests whose steps are recorded in a second. A busy gateway would otherwise spend a fifth of its time on recording. */
const maxRecorded = 250;

export class Watching {
  readonly #now: () => number;
  #isOn = false;
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  #recorded = 0;

  /** `now` returns ms of any clock that only moves forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** An administrator asks for something now. */
  look(): void {
    this.#isOn = true;
    this.#timer ??= setTimeout(() => this.stop(), lookMs).unref();
    this.#timer.refresh();
  }

  /** Whether the steps of a request that begins now are recorded. Counts the request if they are. */
  recordsNext(): boolean {
    if (!this.#isOn) return false;
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#recorded = 0;
    }
    this.#recorded += 1;
    return this.#recorded <= maxRecorded;
  }

  stop(): void {
    this.#isOn = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

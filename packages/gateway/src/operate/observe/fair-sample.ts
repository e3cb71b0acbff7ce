// Chooses the requests that administrators see: all of them up to a rate, and a fair sample above it. A busy gateway would otherwise
// spend much of its time on recording more than people can read.

/** Requests recorded in a second. */
const maxRecorded = 100;
const windowMs = 1_000;

export class FairSample {
  readonly #now: () => number;
  readonly #random: () => number;
  #window = 0;
  #seen = 0;
  #taken = 0;
  /** The chance of each request, by the rate of the last second. */
  #share = 1;

  /** `now` returns ms of any clock that only moves forward. `random` returns a number from 0 to below 1. */
  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** Whether the request that begins now is recorded. */
  takesNext(): boolean {
    const window = Math.floor(this.#now() / windowMs);
    if (window !== this.#window) this.#turn(window);
    this.#seen += 1;
    if (this.#taken >= maxRecorded || (this.#share < 1 && this.#random() >= this.#share)) return false;
    this.#taken += 1;
    return true;
  }

  #turn(window: number): void {
    const isNext = window === this.#window + 1;
    this.#share = isNext && this.#seen > maxRecorded ? maxRecorded / this.#seen : 1;
    this.#window = window;
    this.#seen = 0;
    this.#taken = 0;
  }
}

// Chooses the requests that administrators see: all of them at a rate that people can read, and a fair sample above it. A busy gateway
// would otherwise spend much of its time on recording more than people can read.

/** Requests recorded in a second, of a burst after a quiet second. */
const maxRecorded = 100;
/** The rate up to which all requests are recorded. */
const maxWhole = 20;
/** Requests recorded in a second while there are more. */
const maxSampled = 10;
/** Failed requests recorded in a second, besides those of the sample. */
const maxFailures = 10;
const windowMs = 1_000;

export class FairSample {
  readonly #now: () => number;
  readonly #random: () => number;
  #window = 0;
  /** Requests of this second by upstream, and of the second before. */
  #seen = new Map<string, number>();
  #before = new Map<string, number>();
  /** The number of requests of one upstream in a second of which all are expected to be recorded. */
  #level = Number.POSITIVE_INFINITY;
  #taken = 0;
  #failures = 0;

  /** `now` returns ms of any clock that only moves forward. `random` returns a number from 0 to below 1. */
  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** Whether the request that begins now is recorded. `upstream` is empty for requests that the gateway answers itself. */
  takesNext(upstream: string): boolean {
    this.#turn();
    this.#seen.set(upstream, (this.#seen.get(upstream) ?? 0) + 1);
    if (this.#taken >= maxRecorded) return false;
    const chance = this.#level / Math.max(1, this.#before.get(upstream) ?? 0);
    if (chance < 1 && this.#random() >= chance) return false;
    this.#taken += 1;
    return true;
  }

  /** Whether a request that was not taken, and has failed, is recorded nevertheless. */
  takesFailure(): boolean {
    this.#turn();
    if (this.#failures >= maxFailures) return false;
    this.#failures += 1;
    return true;
  }

  #turn(): void {
    const window = Math.floor(this.#now() / windowMs);
    if (window === this.#window) return;
    this.#before = window === this.#window + 1 ? this.#seen : new Map();
    this.#level = levelOf([...this.#before.values()]);
    this.#seen = new Map();
    this.#window = window;
    this.#taken = 0;
    this.#failures = 0;
  }
}

/** Upstreams with few requests keep all of theirs, and the others share what is left in equal parts. */
function levelOf(counts: number[]): number {
  if (counts.reduce((sum, count) => sum + count, 0) <= maxWhole) return Number.POSITIVE_INFINITY;
  counts.sort((one, other) => one - other);
  let left = maxSampled;
  for (const [index, count] of counts.entries()) {
    const part = left / (counts.length - index);
    if (count > part) return part;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}

// What passes between replicas and Redis, and between replicas directly: counts by purpose, bytes, and the busiest moment.

export interface CommandCount {
  count: number;
  /** Commands that scripts called. */
  inner: number;
  /** Bytes to Redis. */
  bytesIn: number;
  /** Bytes of replies. */
  bytesOut: number;
}

interface Volume {
  count: number;
  bytes: number;
}

/** What happened since the counts before. */
export interface Counts {
  readonly ms: number;
  readonly byPurpose: ReadonlyMap<string, CommandCount>;
  readonly total: CommandCount;
  /** Messages that Redis delivered to subscribers. */
  readonly delivered: Volume;
  /** Questions and answers between replicas, without Redis. */
  readonly direct: Volume;
  /** Commands per second in the busiest window. */
  readonly peakPerSecond: number;
  /** How long one core of Redis would have worked, in ms (see redis-cost.ts). */
  readonly redisMs: number;
}

/** The busiest window has this length, in ms. */
const windowMs = 100;

export class Traffic {
  readonly #now: () => number;
  #byPurpose = new Map<string, CommandCount>();
  #delivered: Volume = { count: 0, bytes: 0 };
  #direct: Volume = { count: 0, bytes: 0 };
  #since = 0;
  #redisUs = 0;
  #window = 0;
  #inWindow = 0;
  #peak = 0;

  /** `now` is the simulated time in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  command(purpose: string, { inner, bytesIn, bytesOut }: Omit<CommandCount, "count">, us: number): void {
    const entry = this.#byPurpose.get(purpose) ?? none();
    this.#byPurpose.set(purpose, entry);
    entry.count += 1;
    entry.inner += inner;
    entry.bytesIn += bytesIn;
    entry.bytesOut += bytesOut;
    this.#redisUs += us;
    const window = Math.floor(this.#now() / windowMs);
    if (window !== this.#window) this.#inWindow = 0;
    this.#window = window;
    this.#inWindow += 1;
    this.#peak = Math.max(this.#peak, this.#inWindow);
  }

  delivered(bytes: number): void {
    this.#delivered.count += 1;
    this.#delivered.bytes += bytes;
  }

  direct(bytes: number): void {
    this.#direct.count += 1;
    this.#direct.bytes += bytes;
  }

  /** Returns the counts since the last call, and begins anew. */
  take(): Counts {
    const total = none();
    for (const entry of this.#byPurpose.values()) {
      total.count += entry.count;
      total.inner += entry.inner;
      total.bytesIn += entry.bytesIn;
      total.bytesOut += entry.bytesOut;
    }
    const counts = {
      ms: this.#now() - this.#since,
      ...{ byPurpose: this.#byPurpose, total, delivered: this.#delivered, direct: this.#direct },
      peakPerSecond: (this.#peak * 1_000) / windowMs,
      redisMs: this.#redisUs / 1_000,
    };
    this.#byPurpose = new Map();
    this.#delivered = { count: 0, bytes: 0 };
    this.#direct = { count: 0, bytes: 0 };
    this.#since = this.#now();
    this.#redisUs = 0;
    this.#inWindow = 0;
    this.#peak = 0;
    return counts;
  }
}

function none(): CommandCount {
  return { count: 0, inner: 0, bytesIn: 0, bytesOut: 0 };
}

// What a client received besides results: kept in order, and awaited without sleeps.
import { after } from "../time/real-time.ts";

/** Notifications of one kind, in the order of their arrival. */
export interface Recorded<T> {
  /** All of them, at most the last 10,000. */
  readonly all: readonly T[];
  /**
   * Returns the next one that `match` accepts, after the one that the previous call returned. Waits for it if it has not arrived.
   * Rejects with an Error that lists what arrived after `waitMs` of the client, 5,000 ms by default.
   */
  next(match?: (item: T) => boolean): Promise<T>;
}

interface Waiter<T> {
  readonly match: (item: T) => boolean;
  resolve(item: T): void;
}

/** Items kept of one kind. */
const maxKept = 10_000;
/** Items that an error message lists. */
const shown = 10;

export class EventRecorder<T> implements Recorded<T> {
  readonly all: T[] = [];
  readonly #what: string;
  readonly #waitMs: number;
  readonly #waiters: Waiter<T>[] = [];
  /** The index of the first item that no call of `next` has passed. */
  #position = 0;

  /** `what` names one item in errors: "log message". */
  constructor(what: string, waitMs: number) {
    this.#what = what;
    this.#waitMs = waitMs;
  }

  add(item: T): void {
    this.all.push(item);
    if (this.all.length > maxKept) {
      this.all.shift();
      this.#position = Math.max(this.#position - 1, 0);
    }
    const [first] = this.#waiters;
    if (!first?.match(item)) return;
    this.#waiters.shift();
    this.#position = this.all.length;
    first.resolve(item);
  }

  next(match: (item: T) => boolean = () => true): Promise<T> {
    const index = this.#waiters.length > 0 ? -1 : this.all.findIndex((item, at) => at >= this.#position && match(item));
    if (index >= 0) {
      this.#position = index + 1;
      return Promise.resolve(this.all[index] as T);
    }
    return new Promise((resolve, reject) => {
      const cancel = after(this.#waitMs, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(this.#missing());
      });
      const waiter: Waiter<T> = {
        match,
        resolve(item) {
          cancel();
          resolve(item);
        },
      };
      this.#waiters.push(waiter);
    });
  }

  #missing(): Error {
    const others = this.all.slice(-shown).map((item) => `\n  ${JSON.stringify(item).slice(0, 200)}`);
    const arrived = others.length === 0 ? "none arrived" : `the last that arrived:${others.join("")}`;
    return new Error(`no ${this.#what} that fits arrived within ${this.#waitMs} ms; ${arrived}`);
  }
}

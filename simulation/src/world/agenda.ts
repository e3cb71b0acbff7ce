// The events of a simulation, in the order of their times. Time passes only between events. After each event all promises settle before the
// next one begins, so the order of everything depends on the schedule alone.

interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

export class Agenda {
  /** Simulated time in ms. */
  now = 0;
  /** How many events have run. */
  count = 0;
  readonly #heap: Entry[] = [];
  #order = 0;

  /** Runs `event` at a time, after the events of the same time that were planned before. Returns a function that cancels it. */
  at(time: number, event: () => void): () => void {
    this.#order += 1;
    const entry: Entry = { at: Math.max(time, this.now), order: this.#order, run: event };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  after(ms: number, event: () => void): () => void {
    return this.at(this.now + ms, event);
  }

  /** Runs events until `time`, or until `isOver` returns true. Rejects with the first error that an event throws. */
  run(time: number, isOver: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (isOver()) resolve();
          else if (this.#runNext(time)) queueMicrotask(planStep);
          else {
            this.now = Math.max(this.now, time);
            resolve();
          }
        } catch (error) {
          reject(error);
        }
      };
      // A tick that a microtask plans runs when all other microtasks are done, also those that they plan.
      const planStep = (): void => process.nextTick(step);
      planStep();
    });
  }

  #runNext(time: number): boolean {
    const next = this.#next(time);
    if (next === undefined) return false;
    this.count += 1;
    this.now = next.at;
    next.run?.();
    return true;
  }

  #next(time: number): Entry | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (!first || first.at > time) return undefined;
      this.#pop();
      if (first.run) return first;
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent] as Entry, entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (isBefore(last, heap[child] as Entry)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

// The calls that began here. A call of which a replica asks, and that is not among them, has not begun: it was lost on its way.

/** Calls of one sender that are remembered. */
const maxCalls = 1_000;
const maxSenders = 1_000;

interface Begun {
  readonly calls: Set<number>;
  /** Calls up to this number are forgotten. */
  forgotten: number;
}

export class BegunCalls {
  readonly #senders = new Map<string, Begun>();
  #hasForgotten = false;

  /** A sender numbers its calls in ascending order. */
  add(from: string, call: number): void {
    const begun = this.#senders.get(from) ?? { calls: new Set(), forgotten: 0 };
    this.#senders.delete(from);
    this.#senders.set(from, begun);
    begun.calls.add(call);
    if (begun.calls.size > maxCalls) {
      begun.forgotten = begun.calls.values().next().value as number;
      begun.calls.delete(begun.forgotten);
    }
    if (this.#senders.size > maxSenders) {
      this.#senders.delete(this.#senders.keys().next().value as string);
      this.#hasForgotten = true;
    }
  }

  /** Whether the call has certainly not begun. */
  lacks(from: string, call: number): boolean {
    const begun = this.#senders.get(from);
    if (!begun) return !this.#hasForgotten;
    return call > begun.forgotten && !begun.calls.has(call);
  }
}

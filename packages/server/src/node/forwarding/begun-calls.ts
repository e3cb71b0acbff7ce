// The calls that began here. A call of which a replica asks, and that is not among them, has not begun: it was lost on its way.

/** Calls in each of the two sets, so at least this many of a sender are remembered. */
const maxCalls = 1_000;
const maxSenders = 1_000;

/** Two sets, because removing single calls from a set takes longer. */
interface Begun {
  recent: Set<number>;
  earlier: Set<number>;
  /** Calls up to this number are forgotten. */
  forgotten: number;
}

export class BegunCalls {
  readonly #senders = new Map<string, Begun>();
  /** The sender of the last call. Its entry is the last of the map already. */
  #newest: string | undefined;
  #hasForgotten = false;

  /** A sender numbers its calls in ascending order. */
  add(from: string, call: number): void {
    const begun = this.#senders.get(from) ?? { recent: new Set(), earlier: new Set(), forgotten: 0 };
    if (from !== this.#newest) this.#makeNewest(from, begun);
    if (begun.recent.size >= maxCalls) forgetEarlier(begun);
    begun.recent.add(call);
  }

  /** Whether the call has certainly not begun. */
  lacks(from: string, call: number): boolean {
    const begun = this.#senders.get(from);
    if (!begun) return !this.#hasForgotten;
    return call > begun.forgotten && !begun.recent.has(call) && !begun.earlier.has(call);
  }

  #makeNewest(from: string, begun: Begun): void {
    this.#newest = from;
    this.#senders.delete(from);
    this.#senders.set(from, begun);
    if (this.#senders.size <= maxSenders) return;
    this.#senders.delete(this.#senders.keys().next().value as string);
    this.#hasForgotten = true;
  }
}

function forgetEarlier(begun: Begun): void {
  const [oldest = 0] = begun.recent;
  if (begun.earlier.size > 0) begun.forgotten = oldest - 1;
  begun.earlier = begun.recent;
  begun.recent = new Set();
}

// The number of the last message of each sender. A message with a lower one is a replay, or was overtaken: its sender closed a direct
// connection and has sent the later one through the shared store. None is handled twice, and none after a later one.

/** Senders whose last number is remembered. A restarted process is a new sender. */
const maxSenders = 10_000;

export class ReceivedNumbers {
  readonly #last = new Map<string, number>();
  /** The sender of the last message. Its entry is the last of the map already. */
  #newest: string | undefined;
  readonly #waiting = new Map<string, { readonly number: number; readonly callback: () => void }>();

  /** Returns false for a message that must not be handled. */
  accept(from: string, number: number): boolean {
    if (number <= this.#of(from)) return false;
    if (from !== this.#newest) this.#last.delete(from);
    this.#newest = from;
    this.#last.set(from, number);
    if (this.#last.size > maxSenders) this.#last.delete(this.#last.keys().next().value as string);
    return true;
  }

  /** The last accepted message of this sender was handled. */
  handled(from: string): void {
    const waiting = this.#waiting.get(from);
    if (!waiting || waiting.number > this.#of(from)) return;
    this.#waiting.delete(from);
    waiting.callback();
  }

  /** Calls back when a message with this number, or a later one, was handled. Undefined: that is so already. One at a time per sender. */
  when(from: string, number: number, callback: () => void): (() => void) | undefined {
    if (number <= this.#of(from)) return undefined;
    const waiting = { number, callback };
    this.#waiting.set(from, waiting);
    return () => {
      if (this.#waiting.get(from) === waiting) this.#waiting.delete(from);
    };
  }

  #of(from: string): number {
    return this.#last.get(from) ?? 0;
  }
}

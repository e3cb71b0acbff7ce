// Messages that were sent over a direct connection and not acknowledged, in the order of their numbers.

export interface SentMessage {
  readonly number: number;
  readonly bytes: number;
  /** It is late after this look. */
  readonly lateAt: number;
  resolve(receivers: number): void;
  reject(error: Error): void;
}

/** Entries before the first one are removed in steps of this size. */
const compactAt = 1_024;

export class Unacknowledged {
  #messages: SentMessage[] = [];
  #first = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get oldest(): SentMessage | undefined {
    return this.#messages[this.#first];
  }

  add(message: SentMessage): void {
    this.#messages.push(message);
    this.#bytes += message.bytes;
  }

  /** The other side has handled all messages up to this number. */
  resolveUpTo(number: number): void {
    for (let one = this.#messages[this.#first]; one && one.number <= number; one = this.#messages[this.#first]) {
      this.#first += 1;
      this.#bytes -= one.bytes;
      one.resolve(1);
    }
    if (this.#first === this.#messages.length || this.#first >= compactAt) {
      this.#messages.splice(0, this.#first);
      this.#first = 0;
    }
  }

  rejectAll(toError: (number: number) => Error): void {
    const rejected = this.#messages.slice(this.#first);
    this.#messages = [];
    this.#first = 0;
    this.#bytes = 0;
    for (const { number, reject } of rejected) reject(toError(number));
  }
}

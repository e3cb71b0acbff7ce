// Sends the messages of one process in the order in which they were published: one statement at a time, which carries the messages that
// have accumulated meanwhile.
import { toParts } from "./message-parts.ts";
import { PostgresUnavailableError } from "./postgres-error.ts";
import type { Run, Statement } from "./postgres-link.ts";

interface Message {
  readonly name: string;
  readonly parts: readonly string[];
  resolve(): void;
  reject(error: Error): void;
}

/** Characters that wait to be sent. Further messages are rejected. */
const maxWaitingChars = 64 * 1024 * 1024;
/** Characters sent in one statement, unless a single message is longer. */
const maxBatchChars = 1024 * 1024;

const notify: Statement = {
  name: "lethe_notify",
  text: "SELECT pg_notify(name, part) FROM unnest($1::text[], $2::text[]) AS message (name, part)",
};

export class Publisher {
  readonly #run: Run;
  readonly #waiting: Message[] = [];
  #waitingChars = 0;
  #count = 0;
  #isSending = false;

  constructor(run: Run) {
    this.#run = run;
  }

  publish(name: string, text: string): Promise<void> {
    if (this.#waitingChars + text.length > maxWaitingChars) {
      return Promise.reject(new PostgresUnavailableError(`more than ${maxWaitingChars} characters wait to be sent`));
    }
    this.#count += 1;
    this.#waitingChars += text.length;
    const parts = toParts(this.#count, text);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, parts, resolve, reject });
      if (!this.#isSending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      const names = batch.flatMap(({ name, parts }) => parts.map(() => name));
      try {
        await this.#run(notify, [names, batch.flatMap(({ parts }) => parts)]);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error as Error);
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): Message[] {
    let [count, chars] = [0, 0];
    for (const { parts } of this.#waiting) {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      if (count > 0 && chars + length > maxBatchChars) break;
      chars += length;
      count += 1;
    }
    this.#waitingChars = count === this.#waiting.length ? 0 : Math.max(0, this.#waitingChars - chars);
    return this.#waiting.splice(0, count);
  }
}

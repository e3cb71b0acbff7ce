// Sends the messages of one process in the order in which they were published: one statement at a time, which carries the messages that
// have accumulated meanwhile.
//
// A notification does not say whether a process received it. A process that receives by an address holds a shared lock while its connection
// exists (ListeningConnection), so a message is sent to it only if the exclusive lock cannot be taken.
import { toParts } from "./message-parts.ts";
import { NotRunError } from "./postgres-error.ts";
import type { Run, Statement } from "./postgres-link.ts";

interface Message {
  readonly name: string;
  readonly parts: readonly string[];
  /** Those that a statement sends for it. */
  readonly chars: number;
  resolve(isSent: boolean): void;
  reject(error: Error): void;
}

/** Characters that wait to be sent, with the names of channels. Further messages are rejected. */
const maxWaitingChars = 64 * 1024 * 1024;
/** Characters sent in one statement, unless a single message is longer. */
const maxBatchChars = 1024 * 1024;

const notify: Statement = {
  name: "lethe_notify",
  text: "SELECT pg_notify(name, part) FROM unnest($1::text[], $2::text[]) AS message (name, part)",
};

/** Messages of one channel keep their order: `unnest` returns its rows in order, and nothing sorts them. Returns the channels without a receiver. */
const notifyAddresses: Statement = {
  name: "lethe_notify_addresses",
  text: `
WITH address AS MATERIALIZED (
  SELECT name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) AS is_gone
  FROM (SELECT DISTINCT name FROM unnest($1::text[]) AS names (name)) AS names
),
sent AS MATERIALIZED (
  SELECT pg_notify(name, part) FROM unnest($1::text[], $2::text[]) AS message (name, part)
  WHERE name = ANY (ARRAY(SELECT name FROM address WHERE NOT is_gone))
)
SELECT ARRAY(SELECT name FROM address WHERE is_gone) AS gone, (SELECT count(*) FROM sent) AS sent`,
};

export interface PublisherOptions {
  /** Whether each channel is the address of one process, which holds its lock. Default false. */
  readonly toAddresses?: boolean;
  /** Characters that wait to be sent. Default 67,108,864. */
  readonly maxChars?: number;
}

export class Publisher {
  readonly #run: Run;
  readonly #toAddresses: boolean;
  readonly #maxChars: number;
  readonly #waiting: Message[] = [];
  #waitingChars = 0;
  #count = 0;
  #isSending = false;

  constructor(run: Run, { toAddresses = false, maxChars = maxWaitingChars }: PublisherOptions = {}) {
    this.#run = run;
    this.#toAddresses = toAddresses;
    this.#maxChars = maxChars;
  }

  /** Resolves with false if the message was not sent because the process at this address is gone. Without addresses always with true. */
  publish(name: string, text: string): Promise<boolean> {
    const parts = toParts(this.#count + 1, text);
    const chars = parts.reduce((sum, part) => sum + name.length + part.length, 0);
    if (this.#waitingChars + chars > this.#maxChars) {
      return Promise.reject(new NotRunError(`more than ${this.#maxChars} characters wait to be sent`));
    }
    this.#count += 1;
    this.#waitingChars += chars;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, parts, chars, resolve, reject });
      if (!this.#isSending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      const names = batch.flatMap(({ name, parts }) => parts.map(() => name));
      try {
        const values = [names, batch.flatMap(({ parts }) => parts)];
        const [row] = await this.#run<{ gone?: readonly string[] }>(
          this.#toAddresses ? notifyAddresses : notify,
          values,
        );
        const gone = new Set(row?.gone);
        for (const { name, resolve } of batch) resolve(!gone.has(name));
      } catch (error) {
        for (const { reject } of batch) reject(error as Error);
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): Message[] {
    let [count, sum] = [0, 0];
    for (const { chars } of this.#waiting) {
      if (count > 0 && sum + chars > maxBatchChars) break;
      sum += chars;
      count += 1;
    }
    this.#waitingChars -= sum;
    return this.#waiting.splice(0, count);
  }
}

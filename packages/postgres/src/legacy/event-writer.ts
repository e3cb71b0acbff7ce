// Writes the events of one process in their order: one statement at a time, with the events that have accumulated meanwhile.
import type { PostgresLink } from "../connection/postgres-link.ts";
import { writeEvents } from "./event-statements.ts";

export interface WrittenEvent {
  readonly stream: string;
  readonly seq: number;
  /** Encrypted. Empty for the begin and the end of a stream. */
  readonly event: string;
  readonly isEnd: boolean;
}

export interface EventWriterOptions {
  readonly postgres: Pick<PostgresLink, "prefix" | "run" | "publish">;
  readonly self: string;
  readonly leaseMs: number;
  readonly maxEvents: number;
  readonly maxAgeMs: number;
}

/** How long a stream without events is kept, in ms. Input requests wait for less. */
const silenceMs = 3_600_000;
/** Events that wait to be written. Further ones are not kept. */
const maxWaiting = 10_000;
/** Characters of events that wait to be written. Further ones are not kept. */
const maxWaitingChars = 64 * 1024 * 1024;
/** Events of one statement. */
const maxBatch = 500;

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #waiting: WrittenEvent[] = [];
  #waitingChars = 0;
  #isWriting = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Returns at once. An event that cannot be written is lost for clients that resume. */
  write(event: WrittenEvent): void {
    const chars = event.event.length;
    if (this.#waiting.length >= maxWaiting || this.#waitingChars + chars > maxWaitingChars) return;
    this.#waiting.push(event);
    this.#waitingChars += chars;
    if (!this.#isWriting) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      for (const { event } of batch) this.#waitingChars -= event.length;
      await this.#store(batch).catch(() => {});
    }
    this.#isWriting = false;
  }

  async #store(batch: readonly WrittenEvent[]): Promise<void> {
    const { postgres, self, leaseMs, maxEvents, maxAgeMs } = this.#options;
    const columns = [
      batch.map(({ stream }) => stream),
      batch.map(({ seq }) => seq),
      batch.map(({ event }) => event),
      batch.map(({ isEnd }) => String(isEnd)),
    ];
    await postgres.run(writeEvents, [postgres.prefix, ...columns, self, leaseMs, maxEvents, silenceMs, maxAgeMs]);
    const streams = new Set(batch.map(({ stream }) => stream));
    for (const stream of streams) void postgres.publish(stream, "").catch(() => {});
  }
}

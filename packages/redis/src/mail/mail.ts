// Messages from process to process over Redis channels, one for each process: sealed, in order, each at most once. A message
// that was caught on its way and is published again is known by its number.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { RedisConnection } from "../connection/redis-connection.ts";
import type { Envelope } from "../seal/envelope.ts";

export interface Mail<M extends object> {
  /** Whether what is sent arrives, and what comes is heard. */
  readonly isUp: boolean;
  /** How many heard it: 0 when that process is gone. Rejects when Redis is away, with RangeError for what is too large. */
  send(to: string, message: M): Promise<number>;
  /** Resolves when all that was sent to this process, and counted as heard, has been heard. */
  close(): Promise<void>;
}

export interface MailOptions {
  readonly connection: RedisConnection;
  readonly envelope: Envelope;
  /** In front of the address of each process. */
  readonly channel: string;
  readonly self: string;
  onMessage(from: string, message: JsonObject): void;
  /** Told once, when something came that no process with these keys has sealed for this one. */
  onForged?(): void;
}

/** Processes that have been heard of; each start of one counts. */
const maxSenders = 10_000;

/** Resolves when messages can come. */
export async function openMail<M extends object>(options: MailOptions): Promise<Mail<M>> {
  const { connection, envelope, channel, self, onMessage, onForged } = options;
  const lastHeard = new Map<string, number>();
  let lastSent = 0;
  let hasTold = false;

  function hear(text: string): void {
    const opened = envelope.open(text, self);
    const { from, number, message } = opened ?? {};
    if (typeof from !== "string" || typeof number !== "number" || !isJsonObject(message)) {
      if (!hasTold) onForged?.();
      hasTold = true;
      return;
    }
    if (number <= (lastHeard.get(from) ?? 0)) return;
    lastHeard.delete(from);
    lastHeard.set(from, number);
    if (lastHeard.size > maxSenders) lastHeard.delete(lastHeard.keys().next().value as string);
    onMessage(from, message);
  }

  const channelOf = (address: string): string => `${channel}:${address}`;
  const stop = await connection.subscribe(channelOf(self), hear);
  return {
    get isUp() {
      return connection.isUp;
    },
    // Sealed and written at once, so that the order is that of the calls.
    async send(to, message) {
      lastSent += 1;
      const text = envelope.seal({ from: self, number: lastSent, message }, to);
      return connection.publish(channelOf(to), text);
    },
    close: stop,
  };
}

// Messages from replica to replica over Redis channels: sealed, in order, each at most once. A message that was caught on its
// way and is published again is known by its number.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { RedisConnection } from "../connection/redis-connection.ts";
import type { Envelope } from "../seal/envelope.ts";
import type { Message } from "./message.ts";

export interface Mail {
  /** Whether what is sent arrives, and what comes is heard. */
  readonly isUp: boolean;
  /** How many heard it: 0 when that replica is gone. Rejects when Redis is away, with RangeError for what is too large. */
  send(to: string, message: Message): Promise<number>;
  /** Resolves when all that was sent to this replica, and counted as heard, has been heard. */
  close(): Promise<void>;
}

export interface MailOptions {
  readonly connection: RedisConnection;
  readonly envelope: Envelope;
  readonly self: string;
  onMessage(from: string, message: JsonObject): void;
  /** Told once, when something came that no replica with these keys has sealed for this one. */
  onForged(): void;
}

/** Replicas that have been heard of; each start of one counts. */
const maxSenders = 10_000;

export async function openMail({ connection, envelope, self, onMessage, onForged }: MailOptions): Promise<Mail> {
  const lastHeard = new Map<string, number>();
  let lastSent = 0;
  let hasTold = false;

  function hear(text: string): void {
    const opened = envelope.open(text, self);
    const { from, number, message } = opened ?? {};
    if (typeof from !== "string" || typeof number !== "number" || !isJsonObject(message)) {
      if (!hasTold) onForged();
      hasTold = true;
      return;
    }
    if (number <= (lastHeard.get(from) ?? 0)) return;
    lastHeard.delete(from);
    lastHeard.set(from, number);
    if (lastHeard.size > maxSenders) lastHeard.delete(lastHeard.keys().next().value as string);
    onMessage(from, message);
  }

  const stop = await connection.subscribe(channelOf(self), hear);
  return {
    get isUp() {
      return connection.isUp;
    },
    // Sealed and written at once, so that the order is that of the calls.
    async send(to, message) {
      lastSent += 1;
      const text = envelope.seal({ from: self, number: lastSent, message: { ...message } }, to);
      return connection.publish(channelOf(to), text);
    },
    close: stop,
  };
}

function channelOf(replica: string): string {
  return `replica:${replica}`;
}

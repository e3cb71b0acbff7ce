// Messages between processes over Redis channels, one channel per process: encrypted, in order, each delivered at most once. The
// number of a message protects against replay.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { MessageCipher } from "@lethe/server/sealing";
import type { RedisLink } from "../connection/redis-link.ts";

export interface Messaging<M extends object> {
  /** Whether Redis is reachable for sending and receiving. */
  readonly isUp: boolean;
  /** Returns the number of receivers: 0 when the process is gone. Rejects when Redis is away, with RangeError if too large. */
  send(to: string, message: M): Promise<number>;
  /** Calls `onMessage` with each message to this process. Resolves when messages can arrive. Call it once. */
  listen(onMessage: (from: string, message: JsonObject) => void): Promise<void>;
  /** Resolves after all messages that count as received were handled. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  readonly connection: RedisLink;
  readonly cipher: MessageCipher;
  /** The channel prefix before the address of each process. */
  readonly channel: string;
  readonly self: string;
  /** Called once, at the first message that was not encrypted for this process with these keys. */
  onForged?(): void;
}

/** Senders whose last number is remembered. A restarted process is a new sender. */
const maxSenders = 10_000;

/** Creates messaging that can send at once, and receives after `listen`. */
export function createMessaging<M extends object>(options: MessagingOptions): Messaging<M> {
  const { connection, cipher, channel, self, onForged } = options;
  const lastReceived = new Map<string, number>();
  let lastSent = 0;
  let hasReported = false;
  let stop: (() => Promise<void>) | undefined;

  function receiveText(text: string, onMessage: (from: string, message: JsonObject) => void): void {
    const opened = cipher.open(text, self);
    const { from, number, message } = opened ?? {};
    if (typeof from !== "string" || typeof number !== "number" || !isJsonObject(message)) {
      if (!hasReported) onForged?.();
      hasReported = true;
      return;
    }
    if (number <= (lastReceived.get(from) ?? 0)) return;
    lastReceived.delete(from);
    lastReceived.set(from, number);
    if (lastReceived.size > maxSenders) lastReceived.delete(lastReceived.keys().next().value as string);
    onMessage(from, message);
  }

  const channelOf = (address: string): string => `${channel}:${address}`;
  return {
    get isUp() {
      return connection.isUp;
    },
    // Encrypted and written synchronously, so that messages keep the order of the calls.
    async send(to, message) {
      lastSent += 1;
      const text = cipher.seal({ from: self, number: lastSent, message }, to);
      return connection.publish(channelOf(to), text);
    },
    async listen(onMessage) {
      stop = await connection.subscribe(channelOf(self), (text) => receiveText(text, onMessage));
    },
    close: async () => stop?.(),
  };
}

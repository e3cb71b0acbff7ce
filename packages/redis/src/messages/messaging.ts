// Messages between processes over Redis channels, one channel per process: encrypted, in order, each delivered at most once. The
// number of a message protects against replay. A direct connection between two processes carries their messages instead, where there is one.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { ReceivedNumbers } from "@lethe/server/forwarding";
import type { MessageCipher } from "@lethe/server/sealing";
import type { RedisLink } from "../connection/redis-link.ts";
import type { DirectCarrier } from "./direct-carrier.ts";

export interface Messaging<M extends object> {
  /** Whether Redis is reachable for sending and receiving. */
  readonly isUp: boolean;
  /** How many messages were sent over each carrier. */
  readonly counts: { readonly redis: number; readonly direct: number };
  /** Whether messages to this process can be sent: `full` while it is too slow for more. */
  stateOf(to: string): "ready" | "full" | "unreachable";
  /**
   * Returns the number of receivers: 0 when the process is gone. Rejects when Redis is away, with DirectClosedError when a direct connection
   * was closed before the process acknowledged the message, and with RangeError if too large.
   */
  send(to: string, message: M): Promise<number>;
  /** Calls `onMessage` with each message to this process. Resolves when messages can arrive. Call it once. */
  listen(onMessage: (from: string, message: JsonObject, carrier: "redis" | "direct") => void): Promise<void>;
  /** Resolves after all messages that count as received were handled. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  readonly connection: RedisLink;
  readonly cipher: MessageCipher;
  /** The channel prefix before the address of each process. */
  readonly channel: string;
  readonly self: string;
  /** Default: Redis carries all messages. */
  readonly direct?: DirectCarrier | undefined;
  /** Called once, at the first message that was not encrypted for this process with these keys. */
  onForged?(): void;
}

/** Receivers whose last number is remembered. */
const maxReceivers = 10_000;

/** Creates messaging that can send at once, and receives after `listen`. */
export function createMessaging<M extends object>(options: MessagingOptions): Messaging<M> {
  const { connection, cipher, channel, self, direct, onForged } = options;
  const received = new ReceivedNumbers();
  /** The numbers of messages through Redis. */
  const lastThroughRedis = new Map<string, number>();
  const counts = { redis: 0, direct: 0 };
  let lastSent = 0;
  let hasReported = false;
  let stop: (() => Promise<void>) | undefined;

  type OnMessage = Parameters<Messaging<M>["listen"]>[0];
  function receiveText(text: string, onMessage: OnMessage): void {
    const opened = cipher.open(text, self);
    const { from, number, message } = opened ?? {};
    if (typeof from !== "string" || typeof number !== "number" || !isJsonObject(message)) {
      if (!hasReported) onForged?.();
      hasReported = true;
      return;
    }
    if (!received.accept(from, number)) return;
    onMessage(from, message, "redis");
    received.handled(from);
  }

  /** Returns a function for a message that did not arrive: a direct connection must not wait for it. */
  function remember(to: string, number: number): () => void {
    const before = lastThroughRedis.get(to) ?? 0;
    lastThroughRedis.delete(to);
    lastThroughRedis.set(to, number);
    if (lastThroughRedis.size > maxReceivers) lastThroughRedis.delete(lastThroughRedis.keys().next().value as string);
    return () => {
      if (lastThroughRedis.get(to) === number) lastThroughRedis.set(to, before);
    };
  }

  const channelOf = (address: string): string => `${channel}:${address}`;
  return {
    counts,
    get isUp() {
      return connection.isUp;
    },
    stateOf: (to) => direct?.stateOf(to) ?? (connection.isUp ? "ready" : "unreachable"),
    // Encrypted and written synchronously, so that messages keep the order of the calls.
    async send(to, message) {
      lastSent += 1;
      const number = lastSent;
      if (direct?.stateOf(to)) {
        counts.direct += 1;
        return direct.send(to, number, message);
      }
      const text = cipher.seal({ from: self, number, message }, to);
      counts.redis += 1;
      if (!direct) return connection.publish(channelOf(to), text);
      const forget = remember(to, number);
      const receivers = await connection.publish(channelOf(to), text).catch((error: unknown) => {
        forget();
        throw error;
      });
      if (receivers === 0) forget();
      return receivers;
    },
    async listen(onMessage) {
      stop = await connection.subscribe(channelOf(self), (text) => receiveText(text, onMessage));
      direct?.start({
        lastSent: (to) => lastThroughRedis.get(to) ?? 0,
        whenReceived: (from, number, callback) => received.when(from, number, callback),
        receive(from, number, message) {
          if (received.accept(from, number)) onMessage(from, message, "direct");
        },
      });
    },
    close: async () => stop?.(),
  };
}

// Messages to one process over its channel: encrypted, acknowledged by the receiver, each handled at most once. A notification of PostgreSQL
// does not say who received it, so the receiver answers.
import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { MessageCipher } from "@lethe/server/sealing";
import type { PostgresLink } from "../connection/postgres-link.ts";

export interface Messaging {
  /**
   * Sends a message until its receiver acknowledges it, for `patienceMs`. Returns false without an acknowledgement: the receiver has ended
   * or does not hear. Rejects with RangeError if the message is too large.
   */
  send(to: string, message: JsonObject): Promise<boolean>;
  /** Calls `onMessage` with each message to this process. Resolves when messages can arrive. Call it once. */
  listen(onMessage: (message: JsonObject) => void): Promise<void>;
}

export interface MessagingOptions {
  readonly postgres: Pick<PostgresLink, "publish" | "subscribe">;
  readonly cipher: MessageCipher;
  /** The prefix of the channels. */
  readonly channel: string;
  readonly self: string;
  readonly patienceMs: number;
}

/** The first pause before a message is sent again, in ms. Each further one is twice as long. */
const firstPauseMs = 500;
/** Messages whose number is remembered, so that a repeated one is not handled again. */
const maxRemembered = 10_000;

export function createMessaging({ postgres, cipher, channel, self, patienceMs }: MessagingOptions): Messaging {
  /** What to do when a message is acknowledged, by its id. */
  const waiting = new Map<string, () => void>();
  const handled = new Set<string>();

  async function send(to: string, message: JsonObject): Promise<boolean> {
    const id = randomUUID();
    const text = cipher.seal({ from: self, id, message }, to);
    let isAcknowledged = false;
    let wake = (): void => {};
    waiting.set(id, () => {
      isAcknowledged = true;
      wake();
    });
    try {
      for (let waitedMs = 0, pauseMs = firstPauseMs; waitedMs < patienceMs; waitedMs += pauseMs, pauseMs *= 2) {
        await postgres.publish(`${channel}:${to}`, text).catch(() => {});
        if (isAcknowledged) return true;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(pauseMs, patienceMs - waitedMs));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        if (isAcknowledged) return true;
      }
      return false;
    } finally {
      waiting.delete(id);
    }
  }

  function receive(text: string, onMessage: (message: JsonObject) => void): void {
    const { from, id, acknowledges, message } = cipher.open(text, self) ?? {};
    if (typeof acknowledges === "string") {
      waiting.get(acknowledges)?.();
      return;
    }
    if (typeof from !== "string" || typeof id !== "string" || !isJsonObject(message)) return;
    const isNew = !handled.has(id);
    handled.add(id);
    if (handled.size > maxRemembered) handled.delete(handled.values().next().value as string);
    void postgres.publish(`${channel}:${from}`, cipher.seal({ acknowledges: id }, from)).catch(() => {});
    if (isNew) onMessage(message);
  }

  return {
    send,
    async listen(onMessage) {
      await postgres.subscribe(`${channel}:${self}`, (text) => receive(text, onMessage));
    },
  };
}

// Publishes changes to the listeners of all processes (E-13), over one channel of a shared store: any process may have a stream for a change.
import { randomBytes } from "node:crypto";
import { isJsonObject } from "@lethe/protocol";
import type { KeyRing } from "../../seal/key-ring.ts";
import { type Bus, createMemoryBus } from "../../subscriptions/bus.ts";
import type { Change } from "../../subscriptions/change.ts";
import { createMessageCipher } from "./message-cipher.ts";

/** What carries the changes. Texts that one process publishes keep their order if it does not wait between them. */
export interface BusChannels {
  publish(channel: string, text: string): Promise<unknown>;
  /** Resolves with a function that ends the subscription. */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => unknown>;
  /** Texts may have been missed. Returns a function that removes the listener. */
  onResubscribed(listener: () => void): () => void;
}

export interface SealedBusOptions {
  readonly ring: KeyRing;
  /** Size of one change as JSON, in bytes. */
  readonly maxBytes: number;
  /** Changes being published at a time. */
  readonly maxSending: number;
  /** Called once. */
  onWarning(warning: string): void;
}

const channel = "changes";
/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;
const lost = "a change did not reach the other processes";
const lists = ["tools", "prompts", "resources"] as const;

/** Resolves when changes can arrive. */
export async function createSealedBus(channels: BusChannels, options: SealedBusOptions): Promise<Bus> {
  const { ring, maxBytes, maxSending, onWarning } = options;
  const cipher = await createMessageCipher(ring, { purpose: "changes", ttlMs, maxBytes });
  const here = createMemoryBus();
  const self = randomBytes(12).toString("base64url");
  let sendingCount = 0;
  let hasWarned = false;

  function warn(): void {
    if (!hasWarned) onWarning(lost);
    hasWarned = true;
  }

  /** Encrypted and published synchronously, so that changes keep their order. */
  async function send(change: Change): Promise<void> {
    if (sendingCount >= maxSending) return warn();
    sendingCount += 1;
    try {
      await channels.publish(channel, `${self} ${cipher.seal({ change }, channel)}`);
    } catch {
      warn();
    } finally {
      sendingCount -= 1;
    }
  }

  const unsubscribe = await channels.subscribe(channel, (message) => {
    const [from, text = ""] = message.split(" ", 2);
    const { change } = (from !== self && cipher.open(text, channel)) || {};
    if (isJsonObject(change)) here.publish(change as Change);
  });
  const removeListener = channels.onResubscribed(() => {
    for (const kind of lists) here.publish({ kind });
  });
  return {
    publish(change) {
      here.publish(change);
      void send(change);
    },
    subscribe: here.subscribe,
    close() {
      void unsubscribe();
      removeListener();
      return here.close?.();
    },
  };
}

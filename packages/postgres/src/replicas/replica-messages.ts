// Messages between replicas, by notifications of PostgreSQL: encrypted, in order, each delivered at most once. The number of a message
// protects against replay.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { type Carrier, type Message, NotSentError, ReceivedNumbers } from "@lethe/server/forwarding";
import type { MessageCipher } from "@lethe/server/sealing";
import { NotRunError } from "../connection/postgres-error.ts";
import type { PostgresLink } from "../connection/postgres-link.ts";

export interface ReplicaMessages extends Carrier<Message> {
  /** How many messages were sent. */
  readonly count: number;
  /** Calls `onMessage` with each message to this replica. Resolves when messages can arrive. Call it once. */
  listen(onMessage: (from: string, message: JsonObject) => void): Promise<void>;
  close(): Promise<void>;
}

export interface ReplicaMessagesOptions {
  readonly postgres: Pick<PostgresLink, "isUp" | "sendTo" | "receiveAt">;
  readonly cipher: MessageCipher;
  readonly self: string;
  /** Called once, at the first message that was not encrypted for this replica with these keys. */
  onForged(): void;
}

/** Creates messages that can be sent at once, and are received after `listen`. */
export function createReplicaMessages({ postgres, cipher, self, onForged }: ReplicaMessagesOptions): ReplicaMessages {
  const received = new ReceivedNumbers();
  let lastSent = 0;
  let hasReported = false;
  let stop: (() => Promise<void>) | undefined;

  function receive(text: string, onMessage: (from: string, message: JsonObject) => void): void {
    const { from, number, message } = cipher.open(text, self) ?? {};
    if (typeof from !== "string" || typeof number !== "number" || !isJsonObject(message)) {
      if (!hasReported) onForged();
      hasReported = true;
      return;
    }
    if (received.accept(from, number)) onMessage(from, message);
  }

  return {
    get count() {
      return lastSent;
    },
    stateOf: () => (postgres.isUp ? "ready" : "unreachable"),
    // Encrypted and queued synchronously, so that messages keep the order of the calls.
    async send(to, message) {
      lastSent += 1;
      const text = cipher.seal({ from: self, number: lastSent, message: message as JsonObject & Message }, to);
      try {
        return (await postgres.sendTo(addressOf(to), text)) ? 1 : 0;
      } catch (error) {
        if (error instanceof NotRunError) throw new NotSentError(error.message);
        throw error;
      }
    },
    async listen(onMessage) {
      stop = await postgres.receiveAt(addressOf(self), (text) => receive(text, onMessage));
    },
    close: async () => stop?.(),
  };
}

function addressOf(replica: string): string {
  return `replica:${replica}`;
}

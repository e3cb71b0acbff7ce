// Forwards responses of older clients to the process that runs their call. Each process subscribes to one channel, and the id of
// each input request names it. Only cancellations go to all: they are rare and name no process.

import { randomBytes } from "node:crypto";
import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";
import { routeClientMessages } from "@lethe/server/forwarding";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { type ClientMessageRelay, createMemoryClientMessageRelay } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { createMessaging } from "../messages/messaging.ts";

/** Options of `createPostgresClientMessageRelay`. */
export interface PostgresClientMessageRelayOptions extends SharedKeys {
  /** Size of one response as JSON, in bytes. Default 16 MiB. */
  maxBytes?: number;
  /** Responses being sent at a time. Default 1,000. */
  maxSending?: number;
  /** How long a response is resent while PostgreSQL or the receiving process is unreachable, in ms. Default 8,000. */
  patienceMs?: number;
  /** Called once, at the first message that could not be delivered. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownPostgresClientMessageRelayOptions: KnownOptions<PostgresClientMessageRelayOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  maxSending: true,
  patienceMs: true,
  onWarning: true,
};

const channel = "answers";
/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;

const undelivered =
  "a response of an older client was not delivered: the process that requested it has ended, or PostgreSQL is away";

/**
 * Creates the relay for the option `legacy.clientMessages`. It works as long as the connection. Resolves when responses can arrive.
 * Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresClientMessageRelay } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const relay = await createPostgresClientMessageRelay(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(typeof relay.address); // string
 * await postgres.close();
 */
export async function createPostgresClientMessageRelay(
  postgres: Pick<PostgresLink, "publish" | "subscribe">,
  options: PostgresClientMessageRelayOptions = {},
): Promise<ClientMessageRelay> {
  checkOptions("createPostgresClientMessageRelay", options, knownPostgresClientMessageRelayOptions);
  const { maxBytes = 16 * 1024 * 1024, maxSending = 1_000, patienceMs = 8_000, onWarning = console.warn } = options;
  const cipher = await createMessageCipher(ringOf(options, "answers"), { purpose: "answers", ttlMs, maxBytes });
  const here = createMemoryClientMessageRelay();
  const address = randomBytes(12).toString("base64url");
  const messaging = createMessaging({ postgres, cipher, channel, self: address, patienceMs });
  let sendingCount = 0;
  let hasWarned = false;

  async function send(to: string, message: JsonObject): Promise<void> {
    if (sendingCount >= maxSending) return warn();
    sendingCount += 1;
    try {
      if (!(await messaging.send(to, message))) warn();
    } catch {
      // Larger than `maxBytes`.
      warn();
    } finally {
      sendingCount -= 1;
    }
  }

  async function sendToAll(message: JsonObject): Promise<void> {
    try {
      await postgres.publish(channel, cipher.seal(message, channel));
    } catch {
      warn();
    }
  }

  function warn(): void {
    if (!hasWarned) onWarning(undelivered);
    hasWarned = true;
  }

  const { deliver, receive } = routeClientMessages({
    address,
    deliverHere: here.deliver,
    sendTo: (asker, message) => void send(asker, message),
    sendToAll: (message) => void sendToAll(message),
  });
  await Promise.all([
    messaging.listen(receive),
    postgres.subscribe(channel, (text) => receive(cipher.open(text, channel))),
  ]);
  return { address, deliver, listen: here.listen };
}

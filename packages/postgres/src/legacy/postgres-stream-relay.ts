// Forwards the posts of a client of 2024-11-05 to the process that holds its stream.

import { randomBytes } from "node:crypto";
import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { RelayedPost, StreamRelay } from "@lethe/server/stores";
import { PostgresUnavailableError } from "../connection/postgres-error.ts";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { createMessaging } from "../messages/messaging.ts";

/** Options of `createPostgresStreamRelay`. */
export interface PostgresStreamRelayOptions extends SharedKeys {
  /** Size of one post as JSON, in bytes. Default 16 MiB. */
  maxBytes?: number;
  /** How long a post is resent before its process counts as gone, in ms. Default 3,000. */
  patienceMs?: number;
}

const knownPostgresStreamRelayOptions: KnownOptions<PostgresStreamRelayOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  patienceMs: true,
};

/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;
/** Posts that wait for earlier ones to the same process. Further ones are rejected. */
const maxWaiting = 1_000;

/**
 * Creates the relay for the option `legacy.relay`. It works as long as the connection. Resolves when posts can arrive. Rejects
 * without keys.
 *
 * @example
 * import { connectPostgres, createPostgresStreamRelay } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const relay = await createPostgresStreamRelay(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(relay.address.length > 0); // true
 * await postgres.close();
 */
export async function createPostgresStreamRelay(
  postgres: Pick<PostgresLink, "publish" | "subscribe" | "isUp">,
  options: PostgresStreamRelayOptions = {},
): Promise<StreamRelay> {
  checkOptions("createPostgresStreamRelay", options, knownPostgresStreamRelayOptions);
  const { maxBytes = 16 * 1024 * 1024, patienceMs = 3_000 } = options;
  const cipher = await createMessageCipher(ringOf(options, "posts"), { purpose: "posts", ttlMs, maxBytes });
  const address = randomBytes(12).toString("base64url");
  const listeners = new Set<(post: RelayedPost) => void>();
  const messaging = createMessaging({ postgres, cipher, channel: "posts", self: address, patienceMs });
  /** The last post to each process: the next one follows its acknowledgement, so that resent posts keep their order. */
  const last = new Map<string, Promise<unknown>>();
  let waitingCount = 0;
  await messaging.listen((post) => {
    for (const listener of listeners) listener(post as unknown as RelayedPost);
  });

  async function sendInTurn(to: string, post: RelayedPost): Promise<boolean> {
    await last.get(to)?.catch(() => {});
    if (await messaging.send(to, post as unknown as JsonObject)) return true;
    if (postgres.isUp) return false;
    throw new PostgresUnavailableError("a post could not be forwarded");
  }

  return {
    address,
    async send(to, post) {
      if (waitingCount >= maxWaiting) throw new PostgresUnavailableError(`${maxWaiting} posts wait to be forwarded`);
      waitingCount += 1;
      const sent = sendInTurn(to, post);
      last.set(to, sent);
      try {
        return await sent;
      } finally {
        waitingCount -= 1;
        if (last.get(to) === sent) last.delete(to);
      }
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

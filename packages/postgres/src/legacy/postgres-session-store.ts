// Shares the mutable state of older clients' sessions. A process reads a session once and is then notified of changes, so that
// requests rarely wait for PostgreSQL. A missed change is noticed within `maxAgeMs`.

import { randomBytes } from "node:crypto";
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions, pickOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import {
  createSharedSessionStore,
  knownSharedSessionStoreOptions,
  type SessionStore,
  type SharedSessionStoreOptions,
  storeDefaults,
} from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { createStateRows } from "../sessions/state-rows.ts";

/** Options of `createPostgresSessionStore`. */
export interface PostgresSessionStoreOptions extends SharedKeys, SharedSessionStoreOptions {
  /** How long a state is kept after its last change, in ms. Default 30 days. */
  ttlMs?: number;
}

const knownPostgresSessionStoreOptions: KnownOptions<PostgresSessionStoreOptions> = {
  ...knownSharedKeys,
  ...knownSharedSessionStoreOptions,
  ttlMs: true,
};

const channel = "sessions";
/** Size of a state as JSON: enough for all URIs that a session may subscribe to. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Creates the store for the option `legacy.store`. It works as long as the connection. While PostgreSQL is away, cached states remain
 * valid and changes reject with a retryable McpError. Resolves when changes can arrive. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresSessionStore } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const sessions = await createPostgresSessionStore(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await sessions.get("unknown")); // undefined
 * await postgres.close();
 */
export async function createPostgresSessionStore(
  postgres: Pick<PostgresLink, "prefix" | "run" | "publish" | "subscribe">,
  options: PostgresSessionStoreOptions = {},
): Promise<SessionStore> {
  checkOptions("createPostgresSessionStore", options, knownPostgresSessionStoreOptions);
  const { ttlMs = storeDefaults.sessions.ttlMs } = options;
  const self = randomBytes(12).toString("base64url");
  const cipher = await createMessageCipher(ringOf(options, "sessions"), { purpose: "sessions", maxBytes });
  const rows = createStateRows(postgres);

  const store = createSharedSessionStore<number>(
    {
      async read(sessionId) {
        const row = await rows.read(keyOf(sessionId));
        const state = row && cipher.open(row.state, sessionId);
        return { stamp: row?.version ?? 0, found: row && state && { version: row.version, state } };
      },
      write(sessionId, state, { stamp: expected }) {
        return rows.write(keyOf(sessionId), cipher.seal({ ...state } as JsonObject, sessionId), { expected, ttlMs });
      },
      delete: (sessionId) => rows.delete(keyOf(sessionId)),
      announce(sessionId, { version, state }) {
        const update = { from: self, sessionId, version, state: { ...state } };
        return postgres.publish(channel, cipher.seal(update as JsonObject, channel));
      },
    },
    pickOptions<SharedSessionStoreOptions>(options, knownSharedSessionStoreOptions),
  );
  await postgres.subscribe(channel, (message) => {
    const { from, sessionId, version, state } = cipher.open(message, channel) ?? {};
    if (from === self || typeof sessionId !== "string" || !store.isOfInterest(sessionId)) return;
    if (typeof version === "number" && isJsonObject(state)) store.learn(sessionId, { version, state });
  });
  return store;
}

/** Apart from the keys of ctx.session, which are digests. */
function keyOf(sessionId: string): string {
  return `legacy ${sessionId}`;
}

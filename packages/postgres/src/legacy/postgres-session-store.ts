// Shares the mutable state of older clients' sessions. A process reads a session once and is then notified of changes, so that
// requests rarely wait for PostgreSQL. A missed change is noticed within `maxAgeMs`.

import { randomBytes } from "node:crypto";
import {
  checkOptions,
  isJsonObject,
  isMcpError,
  type JsonObject,
  type KnownOptions,
  overloaded,
} from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import {
  createKnownSessions,
  type SessionState,
  type SessionStore,
  storeDefaults,
  type VersionedState,
} from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { createStateRows } from "../sessions/state-rows.ts";

/** Options of `createPostgresSessionStore`. */
export interface PostgresSessionStoreOptions extends SharedKeys {
  /** How long a state is kept after its last change, in ms. Default 30 days. */
  ttlMs?: number;
  /** How long a process uses a cached state before it reads it again, in ms. Default 10,000. */
  maxAgeMs?: number;
  /** Sessions in the cache of a process; the least recently used is dropped first. Default 10,000. */
  maxSessions?: number;
  /** Size of the cache in characters. Default 16 MiB. */
  maxSize?: number;
}

const knownPostgresSessionStoreOptions: KnownOptions<PostgresSessionStoreOptions> = {
  ...knownSharedKeys,
  ttlMs: true,
  maxAgeMs: true,
  maxSessions: true,
  maxSize: true,
};

const channel = "sessions";
/** Size of a state as JSON: enough for all URIs that a session may subscribe to. */
const maxBytes = 4 * 1024 * 1024;
/** An attempt fails only if another change of the state was faster. */
const maxAttempts = 50;
const retryAfterMs = 1_000;

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
  const { ttlMs = storeDefaults.sessions.ttlMs, maxAgeMs = 10_000 } = options;
  const self = randomBytes(12).toString("base64url");
  const cipher = await createMessageCipher(ringOf(options, "sessions"), { purpose: "sessions", maxBytes });
  const known = createKnownSessions(options);
  const rows = createStateRows(postgres);

  function receiveUpdate(message: string): void {
    const { from, sessionId, version, state } = cipher.open(message, channel) ?? {};
    if (from === self || typeof sessionId !== "string" || !known.isOfInterest(sessionId)) return;
    if (typeof version === "number" && isJsonObject(state)) known.learn(sessionId, { version, state });
  }

  async function load(sessionId: string): Promise<VersionedState & { stored: number }> {
    const row = await rows.read(keyOf(sessionId));
    const opened = row && cipher.open(row.state, sessionId);
    const state = row && opened ? { version: row.version, state: opened } : { version: 0 };
    return { ...known.learn(sessionId, state), stored: row?.version ?? 0 };
  }

  async function change(sessionId: string, by: (state: SessionState) => SessionState): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { state = {}, stored } = await load(sessionId);
      const next = by(state);
      const sealed = cipher.seal({ ...next } as JsonObject, sessionId);
      const version = await rows.write(keyOf(sessionId), sealed, { expected: stored, ttlMs });
      if (version === undefined) continue;
      known.learn(sessionId, { version, state: next });
      const update = { from: self, sessionId, version, state: { ...next } };
      void postgres.publish(channel, cipher.seal(update as JsonObject, channel)).catch(() => {});
      return;
    }
    throw new Error(`a session was changed concurrently ${maxAttempts} times`);
  }

  await postgres.subscribe(channel, receiveUpdate);
  return {
    get(sessionId) {
      const at = known.get(sessionId);
      if (at && Date.now() - at.learnedAt < maxAgeMs) return at.state;
      return load(sessionId).then(
        ({ state }) => state,
        () => at?.state,
      );
    },
    async update(sessionId, by) {
      try {
        await change(sessionId, by);
      } catch (error) {
        throw isMcpError(error) ? error : overloaded("session state cannot be written now", retryAfterMs);
      }
    },
    async forget(sessionId) {
      known.forget(sessionId);
      await rows.delete(keyOf(sessionId)).catch(() => {});
    },
    watch: known.watch,
  };
}

/** Apart from the keys of ctx.session, which are digests. */
function keyOf(sessionId: string): string {
  return `legacy ${sessionId}`;
}

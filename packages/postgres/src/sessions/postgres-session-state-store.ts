// Session state in PostgreSQL, shared by all processes of a server. Each write is one statement that compares the version.
import { checkOptions, type KnownOptions, overloaded } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { SessionStateStore } from "@lethe/server/stores";
import type { PostgresLink, Statement } from "../connection/postgres-link.ts";

/** Options of `createPostgresSessionStateStore`. */
export interface PostgresSessionStateStoreOptions extends SharedKeys {
  /** Size of a state as JSON, in bytes. Default 1 MiB. */
  maxBytes?: number;
}

const knownOptions: KnownOptions<PostgresSessionStateStoreOptions> = { ...knownSharedKeys, maxBytes: true };

const readState: Statement = {
  name: "lethe_session_state_read",
  text: `SELECT version, state FROM lethe.session_states WHERE prefix = $1 AND key = $2 AND expires_at > (SELECT lethe.now_ms())`,
};

/** $3 state, $4 ttl. Writes only where no session exists, or an expired one. */
const createState: Statement = {
  name: "lethe_session_state_create",
  text: `
INSERT INTO lethe.session_states AS known (prefix, key, version, state, expires_at)
SELECT $1, $2, now, $3, now + $4::bigint FROM (SELECT lethe.now_ms() AS now) AS clock
ON CONFLICT (prefix, key) DO UPDATE SET
  version = greatest(known.version + 1, excluded.version), state = excluded.state, expires_at = excluded.expires_at
WHERE known.expires_at <= excluded.version
RETURNING version`,
};

/** $3 state, $4 ttl, $5 the expected version. */
const replaceState: Statement = {
  name: "lethe_session_state_replace",
  text: `
UPDATE lethe.session_states SET version = greatest(version + 1, now), state = $3, expires_at = now + $4::bigint
FROM (SELECT lethe.now_ms() AS now) AS clock
WHERE prefix = $1 AND key = $2 AND version = $5 AND expires_at > now
RETURNING version`,
};

/** $3 the expected version. */
const removeState: Statement = {
  name: "lethe_session_state_remove",
  text: `
DELETE FROM lethe.session_states
WHERE prefix = $1 AND key = $2 AND version = $3 AND expires_at > (SELECT lethe.now_ms()) RETURNING version`,
};

/**
 * Creates the store for the option `sessionStore` of a server. The state is encrypted with the keys of the deployment. Rejects without
 * keys.
 *
 * @example
 * import { connectPostgres, createPostgresSessionStateStore } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "shop:" });
 * const store = await createPostgresSessionStateStore(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await store.read("unknown")); // undefined
 * await postgres.close();
 */
export async function createPostgresSessionStateStore(
  postgres: Pick<PostgresLink, "prefix" | "run">,
  options: PostgresSessionStateStoreOptions = {},
): Promise<SessionStateStore> {
  checkOptions("createPostgresSessionStateStore", options, knownOptions);
  const { maxBytes = 1_048_576 } = options;
  const cipher = await createMessageCipher(ringOf(options, "session state"), {
    ...{ purpose: "session state", maxBytes: maxBytes + '{"text":""}'.length, isTimeless: true },
  });
  const { prefix, run } = postgres;

  return {
    async read(key) {
      const [row] = await reached(() => run<{ version: number; state: string }>(readState, [prefix, key]));
      if (!row) return undefined;
      const opened = cipher.open(row.state, key);
      // Not a new session: the write would fail until the stored one expires.
      if (typeof opened?.text !== "string")
        throw new Error("session state in PostgreSQL: no key of this process opens it");
      return { text: opened.text, version: row.version };
    },
    write: (key, text, { expected, ttlMs }) =>
      reached(async () => {
        const values = [prefix, key, cipher.seal({ text }, key), Math.ceil(ttlMs)];
        const written = await (expected === 0 ? run(createState, values) : run(replaceState, [...values, expected]));
        return written.length === 1;
      }),
    delete: (key, expected) => reached(async () => (await run(removeState, [prefix, key, expected])).length === 1),
  };
}

/** How long a client should wait before it retries, in ms. */
const retryAfterMs = 1_000;

/** Turns an outage into a retryable error. */
async function reached<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    const error = overloaded("sessions cannot be reached now", retryAfterMs, { reason: "session_store_unavailable" });
    throw Object.assign(error, { cause });
  }
}

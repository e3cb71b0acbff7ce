// Session state in PostgreSQL, shared by all processes of a server.
import { checkOptions, type KnownOptions, overloaded } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { SessionStateStore } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { createStateRows } from "./state-rows.ts";

/** Options of `createPostgresSessionStateStore`. */
export interface PostgresSessionStateStoreOptions extends SharedKeys {
  /** Size of a state as JSON, in bytes. Default 1 MiB. */
  maxBytes?: number;
}

const knownOptions: KnownOptions<PostgresSessionStateStoreOptions> = { ...knownSharedKeys, maxBytes: true };

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
  const rows = createStateRows(postgres);

  return {
    async read(key) {
      const row = await reached(() => rows.read(key));
      if (!row) return undefined;
      const opened = cipher.open(row.state, key);
      // Not a new session: the write would fail until the stored one expires.
      if (typeof opened?.text !== "string")
        throw new Error("session state in PostgreSQL: no key of this process opens it");
      return { text: opened.text, version: row.version };
    },
    write: (key, text, options) =>
      reached(async () => (await rows.write(key, cipher.seal({ text }, key), options)) !== undefined),
    delete: (key, expected) => reached(() => rows.delete(key, expected)),
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

// What processes share of older clients' sessions, in PostgreSQL.
import { pickOptions } from "@lethe/protocol";
import { knownSharedKeys, type SharedKeys } from "@lethe/server/sealing";
import type { LegacyOptions } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import {
  createPostgresClientMessageRelay,
  type PostgresClientMessageRelayOptions,
} from "./postgres-client-message-relay.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";
import { createPostgresSessionStore } from "./postgres-session-store.ts";
import { createPostgresStreamRelay } from "./postgres-stream-relay.ts";

export type SharedSessions = Required<Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store">>;

/** Ends with the connection. Resolves when everything can arrive. */
export async function shareSessions(
  postgres: PostgresLink,
  options: Pick<PostgresClientMessageRelayOptions, "keys" | "onWarning">,
): Promise<SharedSessions> {
  const keys = pickOptions<SharedKeys>(options, knownSharedKeys);
  const [clientMessages, events, store, relay] = await Promise.all([
    createPostgresClientMessageRelay(postgres, options),
    createPostgresEventLog(postgres, keys),
    createPostgresSessionStore(postgres, keys),
    createPostgresStreamRelay(postgres, keys),
  ]);
  return { clientMessages, events, store, relay };
}

// The options of a server whose processes share their state in PostgreSQL instead of their own memory.

import { checkOptions, type KnownOptions, pickOptions } from "@lethe/protocol";
import { knownSharedKeys, type SharedKeys } from "@lethe/server/sealing";
import type { Bus, SessionStateStore, SingleUseStore, TaskStore } from "@lethe/server/stores";
import type { PostgresConnection } from "./connection/postgres-connection.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createPostgresSingleUseStore } from "./seal/postgres-single-use-store.ts";
import { createPostgresSessionStateStore } from "./sessions/postgres-session-state-store.ts";
import { createPostgresBus } from "./subscriptions/postgres-bus.ts";
import { createPostgresTaskStore } from "./tasks/postgres-task-store.ts";

/** Options of `createPostgresServerOptions`. */
export interface PostgresServerOptions extends SharedKeys {
  /** Called once per kind of message that did not reach the other processes. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownPostgresServerOptions: KnownOptions<PostgresServerOptions> = { ...knownSharedKeys, onWarning: true };

/** The part of the `ServerOptions` of @lethe/server that PostgreSQL provides. */
export interface SharedServerOptions {
  /** The sessions of clients of older revisions. */
  legacy: SharedSessions;
  /** Replay protection across processes. */
  singleUse: SingleUseStore;
  /** Keeps the state of sessions (`ctx.session`). */
  sessionStore: SessionStateStore;
  /** Carries changes between processes. */
  subscriptions: { bus: Bus };
  /** Stores tasks, so that another process can continue them. */
  tasks: { store: TaskStore };
}

/**
 * Creates options for `createServer` in every process of a server. Another server needs another prefix or other keys. Rejects with
 * an Error without keys, or when PostgreSQL does not answer.
 *
 * @example
 * import { connectPostgres, createPostgresServerOptions } from "@lethe/postgres";
 * import { createServer } from "@lethe/server";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const options = await createPostgresServerOptions(postgres, { keys: `k1:${"A".repeat(43)}` });
 * const server = createServer({ name: "tracker", version: "1.0.0" }, options);
 * await server.close();
 * await postgres.close();
 */
export async function createPostgresServerOptions(
  postgres: PostgresConnection,
  options: PostgresServerOptions = {},
): Promise<SharedServerOptions> {
  checkOptions("createPostgresServerOptions", options, knownPostgresServerOptions);
  const keys = pickOptions<SharedKeys>(options, knownSharedKeys);
  const [legacy, bus, tasks, singleUse, sessionStore] = await Promise.all([
    shareSessions(postgres, options),
    createPostgresBus(postgres, options),
    createPostgresTaskStore(postgres, keys),
    createPostgresSingleUseStore(postgres, keys),
    createPostgresSessionStateStore(postgres, keys),
  ]);
  return { legacy, singleUse, sessionStore, subscriptions: { bus }, tasks: { store: tasks } };
}

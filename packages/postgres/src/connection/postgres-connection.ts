// A connection to PostgreSQL: a pool for statements and one connection for channels. Both reconnect automatically.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { startHeartbeat } from "@lethe/server/forwarding";
import type pg from "pg";
import { isUpToDate, migrate } from "../schema/migrate.ts";
import { channelNameOf } from "./channels.ts";
import { toConnectError } from "./connect-error.ts";
import { DestroyableClient } from "./destroyable-client.ts";
import { lateMs, toDriverConfig } from "./driver-config.ts";
import { ListeningConnection } from "./listening-connection.ts";
import type { PostgresLink } from "./postgres-link.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { Publisher } from "./publisher.ts";
import { requireMessages, requireSchemaRights, requireTables, requireUsable } from "./require-usable.ts";
import { startSweeper } from "./sweeper.ts";

/** Options of `connectPostgres`. */
export interface PostgresOptions {
  /** `postgres://`, with user, password and database where needed. `?sslmode=verify-full` requires TLS, as `require` does. */
  url: string;
  /** Separates the rows and channels of one server from those of others in the same database. Default "lethe:". */
  prefix?: string;
  /** Connections for statements at a time; one more is for channels. Default 10. */
  maxConnections?: number;
  /** Timeout of a statement, and of the wait for a connection, in ms. A connection that is silent for longer is replaced. Default 5,000. */
  timeoutMs?: number;
  /** Called once per loss of the connection. The reason never contains a password. */
  onLost?: (reason: string) => void;
  /** Called when the connection works again. */
  onBack?: () => void;
  /** Called once per loss when the database answers and rejects a new connection, as after a change of the password. */
  onDenied?: (reason: string) => void;
}

const knownPostgresOptions: KnownOptions<PostgresOptions> = {
  url: "a string",
  prefix: true,
  maxConnections: true,
  timeoutMs: true,
  onLost: true,
  onBack: true,
  onDenied: true,
};

/** A connection to PostgreSQL that reconnects by itself. Created by `connectPostgres`. */
export interface PostgresConnection extends PostgresLink {
  /** Waits for running statements, for at most `graceMs` or their timeout. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Connects to PostgreSQL 13 or later, and creates the schema "lethe" or brings it up to date. Rejects with an Error when the database is
 * unreachable, and with UnusablePostgresError when it cannot be used. Later losses are reported to `onLost`: statements fail at once, and
 * the connection is restored with exponential backoff.
 *
 * @example
 * import { connectPostgres } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * console.log(postgres.isUp, postgres.prefix); // true tracker:
 * await postgres.close();
 */
export async function connectPostgres(options: PostgresOptions): Promise<PostgresConnection> {
  checkOptions("connectPostgres", options, knownPostgresOptions);
  const { url, prefix = "lethe:", maxConnections = 10, timeoutMs = 5_000, onLost, onBack, onDenied } = options;
  const config = toDriverConfig(url, timeoutMs);
  const listening = new ListeningConnection({ config, onLost, onBack, onDenied });
  try {
    await prepare(config, timeoutMs);
    await listening.start();
  } catch (error) {
    listening.close();
    throw toConnectError(url, error);
  }
  const pool = new PostgresPool({ config, size: maxConnections, timeoutMs, isUp: () => listening.isUp });
  const publisher = new Publisher(pool.run);
  const addressed = new Publisher(pool.run, { toAddresses: true });
  const ownChannel = channelNameOf(prefix, `round:${crypto.randomUUID()}`);
  const heartbeat = startHeartbeat({
    patienceMs: timeoutMs,
    isUp: () => listening.isUp,
    send: () => publisher.publish(ownChannel, ""),
    onSilent: () => listening.cut("it does not answer, or its messages do not arrive"),
  });
  await listening.listen(ownChannel, () => heartbeat.received());
  const stopSweeper = startSweeper(pool.run);
  return {
    prefix,
    get isUp() {
      return listening.isUp;
    },
    run: pool.run,
    transact: (work) => pool.transact(work),
    async publish(channel, text) {
      await publisher.publish(channelNameOf(prefix, channel), text);
    },
    subscribe: (channel, listener) => listening.listen(channelNameOf(prefix, channel), listener),
    sendTo: (address, text) => addressed.publish(channelNameOf(prefix, address), text),
    receiveAt: (address, listener) => listening.listenAs(channelNameOf(prefix, address), listener),
    onResubscribed: (listener) => listening.onResubscribed(listener),
    async close({ graceMs = timeoutMs + lateMs } = {}) {
      stopSweeper();
      heartbeat.close();
      listening.close();
      await pool.close(graceMs);
    },
  };
}

/** Checks the server and migrates the schema, which may take longer than a statement of a request. */
async function prepare(config: pg.ClientConfig, timeoutMs: number): Promise<void> {
  const client = new DestroyableClient({ ...config, query_timeout: 0 });
  client.on("error", () => {});
  try {
    await client.connect();
    await requireUsable(client);
    await requireSchemaRights(client);
    await migrate(client);
    await requireTables(client);
    await requireMessages(client, config, timeoutMs);
    await client.end();
  } finally {
    client.destroy();
  }
}

/** What `inspectConnection` found. */
export interface InspectedConnection {
  readonly version: string;
  readonly clockAheadMs: number;
  readonly connectionLimit: number;
}

/** A negative limit of an account or a database is none. */
const inspect = `
SELECT current_setting('server_version') AS version,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
  least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
    (SELECT rolconnlimit FROM pg_roles WHERE rolname = session_user AND rolconnlimit >= 0 AND NOT rolsuper),
    (SELECT datconnlimit FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0)
  ) AS "connectionLimit"`;

/**
 * Connects, and checks what `connectPostgres` needs, without changing the database. Rejects with an Error when the database is unreachable,
 * and with UnusablePostgresError when it cannot be used.
 */
export async function inspectConnection(url: string, timeoutMs = 5_000): Promise<InspectedConnection> {
  const config = toDriverConfig(url, timeoutMs);
  let client: DestroyableClient | undefined;
  try {
    client = new DestroyableClient(config).on("error", () => {});
    await client.connect();
    await requireUsable(client);
    await requireSchemaRights(client);
    if (await isUpToDate(client)) await requireTables(client);
    await requireMessages(client, config, timeoutMs);
    const sentAt = Date.now();
    const { rows } = await client.query<{ version: string; now: number; connectionLimit: number }>(inspect);
    const clockTime = (sentAt + Date.now()) / 2;
    const [{ version = "", now = clockTime, connectionLimit = Number.POSITIVE_INFINITY } = {}] = rows;
    await client.end();
    return { version, clockAheadMs: Math.round(now - clockTime), connectionLimit };
  } catch (error) {
    throw toConnectError(url, error);
  } finally {
    client?.destroy();
  }
}

// Whether a database that answers can be used: its version, whether it accepts changes, the rights of the account, and its messages.

import { withDeadline } from "@lethe/server/forwarding";
import type pg from "pg";
import { isUpToDate, mayMigrate } from "../schema/migrate.ts";
import { tableNames } from "../schema/migrations.ts";
import { channelNameOf } from "./channels.ts";
import { DestroyableClient } from "./destroyable-client.ts";
import { UnusablePostgresError } from "./unusable-postgres-error.ts";

const minVersion = 130_000;

/** Throws UnusablePostgresError for a database that is too old, or accepts no changes. */
export async function requireUsable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string; is_standby: boolean; is_read_only: boolean }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
      current_setting('transaction_read_only')::boolean AS is_read_only`,
  );
  const [{ number = "0", version = "none", is_standby: isStandby = false, is_read_only: isReadOnly = false } = {}] =
    rows;
  if (Number(number) < minVersion) {
    throw new UnusablePostgresError("version", `PostgreSQL 13 or later expected, got version ${version}: upgrade it`);
  }
  if (isStandby) {
    const text = "PostgreSQL is a read-only stand-by: check that the address leads to the primary";
    throw new UnusablePostgresError("read_only", text);
  }
  if (isReadOnly) {
    const text =
      "transactions of PostgreSQL are read-only: check default_transaction_read_only of the account and the database";
    throw new UnusablePostgresError("read_only", text);
  }
}

interface Rights {
  /** As SQL writes it. */
  readonly account: string;
  readonly database: string;
  readonly exists: boolean;
  readonly isEmpty: boolean;
}

/** Throws UnusablePostgresError if the schema is not up to date, and the account may not change that. */
export async function requireSchemaRights(client: pg.ClientBase): Promise<void> {
  if ((await isUpToDate(client)) || (await mayMigrate(client))) return;
  const { rows } = await client.query<Rights>(
    `SELECT quote_ident(current_user) AS account, quote_ident(current_database()) AS database,
      EXISTS (SELECT FROM pg_namespace WHERE nspname = 'lethe') AS exists,
      NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'lethe') AS "isEmpty"`,
  );
  for (const rights of rows) throw new UnusablePostgresError("no_permission", toRightsProblem(rights));
}

function toRightsProblem({ account, database, exists, isEmpty }: Rights): string {
  if (!exists) {
    return `the account may not create the schema "lethe": GRANT CREATE ON DATABASE ${database} TO ${account}, or CREATE SCHEMA lethe AUTHORIZATION ${account}`;
  }
  if (isEmpty) return `the account may not create tables in the schema "lethe": ALTER SCHEMA lethe OWNER TO ${account}`;
  return 'the schema "lethe" is of an older version, and the account may not change it: start one process with the account that owns it, and repeat the GRANT of the tables';
}

/** A right that is missing would show only when a table is used, which may be an hour after the start. */
export async function requireTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; exists: boolean; isUsable: boolean | null }>(
    `SELECT name, to_regclass(name) IS NOT NULL AS exists, (
      SELECT bool_and(has_table_privilege(to_regclass(name), kind)) FROM unnest($2::text[]) AS kinds (kind)
    ) AS "isUsable" FROM unnest($1::text[]) AS tables (name)`,
    [tableNames, ["SELECT", "INSERT", "UPDATE", "DELETE"]],
  );
  const listed = (names: readonly { readonly name: string }[]): string => names.map(({ name }) => name).join(", ");
  const missing = rows.filter(({ exists }) => !exists);
  if (missing.length > 0) {
    const text = `the schema "lethe" has no table ${listed(missing)}: restore it, or drop the schema to create it anew`;
    throw new UnusablePostgresError("incomplete", text);
  }
  const denied = rows.filter(({ isUsable }) => isUsable !== true);
  if (denied.length > 0) {
    const text = `the account may not read and write ${listed(denied)}: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lethe`;
    throw new UnusablePostgresError("no_permission", text);
  }
}

/** Sends a notification from one connection to another one, whose session a pooler may have given to other clients. */
export async function requireMessages(
  sender: pg.ClientBase,
  config: pg.ClientConfig,
  timeoutMs: number,
): Promise<void> {
  const channel = channelNameOf("check", crypto.randomUUID());
  const receiver = new DestroyableClient(config);
  receiver.on("error", () => {});
  try {
    await receiver.connect();
    const arrival = new Promise((resolve) => receiver.once("notification", resolve));
    await receiver.query(`LISTEN ${channel}`);
    await sender.query(`NOTIFY ${channel}`);
    await withDeadline(timeoutMs, arrival).catch((error: unknown) => {
      const text = `notifications of PostgreSQL do not arrive within ${timeoutMs} ms: an address of a pooler, such as PgBouncer in transaction mode, does not work`;
      throw new UnusablePostgresError("no_messages", text, { cause: error });
    });
  } finally {
    receiver.destroy();
  }
}

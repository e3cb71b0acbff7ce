// Creates the schema "lethe" or brings it up to date. Replicas that start at the same time wait for each other.
import type { ClientBase } from "pg";
import { migrations } from "./migrations.ts";

/** Identifies the advisory lock of migrations among those of other programs: "lethe" in ASCII. */
const lockId = 0x6c65746865;
/** How long one replica waits for the migration of another, in ms. */
const patienceMs = 60_000;

/** Does nothing in a database that is up to date, so that an account without rights to create suffices there. */
export async function migrate(client: ClientBase): Promise<void> {
  if (await isUpToDate(client)) return;
  // At a higher level, it would not see what another replica did while this one waited for the lock.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await client.query(`SET LOCAL statement_timeout = ${patienceMs}`);
    await client.query("SELECT pg_advisory_xact_lock($1)", [lockId]);
    await apply(client, await versionIn(client));
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Whether `migrate` would do nothing. */
export async function isUpToDate(client: ClientBase): Promise<boolean> {
  return (await versionIn(client)) >= migrations.length;
}

/** Whether the account may do what `migrate` would do in a database that is not up to date. */
export async function mayMigrate(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(`
    SELECT CASE WHEN EXISTS (SELECT FROM pg_namespace WHERE nspname = 'lethe')
      THEN has_schema_privilege('lethe', 'CREATE') ELSE has_database_privilege(current_database(), 'CREATE') END AS may`);
  return rows[0]?.may === true;
}

async function apply(client: ClientBase, version: number): Promise<void> {
  if (version === 0) {
    const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'lethe'");
    // An administrator may have created the schema for an account that may not.
    if (rowCount === 0) await client.query("CREATE SCHEMA lethe");
    await client.query("CREATE TABLE lethe.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)");
  }
  for (const [index, text] of migrations.entries()) {
    if (index < version) continue;
    await client.query(text);
    await client.query("INSERT INTO lethe.migrations (version, applied_at) VALUES ($1, now())", [index + 1]);
  }
}

/** 0 without a schema. A newer build may have applied more versions than this one knows. */
async function versionIn(client: ClientBase): Promise<number> {
  // Reads the catalog itself: to_regclass may miss a table that another process has created since the transaction began.
  const find = "SELECT FROM pg_tables WHERE schemaname = 'lethe' AND tablename = 'migrations'";
  if ((await client.query(find)).rowCount === 0) return 0;
  const known = await client.query<{ version: number | null }>("SELECT max(version) AS version FROM lethe.migrations");
  return known.rows[0]?.version ?? 0;
}

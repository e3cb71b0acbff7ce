// Tries whether a gateway could start with a database, without joining its replicas and without creating the schema.
import { checkOptions } from "@lethe/protocol";
import pg from "pg";
import { inspectConnection } from "./connection/postgres-connection.ts";
import { UnusablePostgresError } from "./connection/unusable-postgres-error.ts";
import { knownPostgresShareSettings, type PostgresShareSettings } from "./share-by-postgres.ts";

/** The result of `checkPostgres`: whether a gateway could share its state in this database. */
export interface CheckedPostgres {
  /** False if PostgreSQL does not answer. */
  readonly isReached: boolean;
  /** Why a gateway would not start. Never contains a password. */
  readonly problem?: string;
  /** The version of PostgreSQL, such as "16.4". */
  readonly version?: string;
  /** How far the clock of the database is ahead of the clock of this machine, in ms. */
  readonly clockAheadMs?: number;
  /** How many connections this account may have to this database, those of other processes included. */
  readonly connectionLimit?: number;
}

/**
 * Connects to PostgreSQL, and checks its version and the rights of the account. Never rejects.
 *
 * @example
 * import { checkPostgres } from "@lethe/postgres";
 *
 * const { isReached, problem } = await checkPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe" });
 * console.log(isReached, problem); // true undefined
 */
export async function checkPostgres(settings: PostgresShareSettings): Promise<CheckedPostgres> {
  checkOptions("checkPostgres", settings, knownPostgresShareSettings);
  const { url, commandTimeoutMs } = settings;
  try {
    return { isReached: true, ...(await inspectConnection(url, commandTimeoutMs)) };
  } catch (error) {
    const { message, cause } = error as Error;
    // It also answers when it has no connection left, or is starting.
    const isReached = error instanceof UnusablePostgresError || cause instanceof pg.DatabaseError;
    return { isReached, problem: message };
  }
}

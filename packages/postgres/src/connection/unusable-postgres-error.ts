// Why a database that answers cannot be used. This file does not import the driver, whose types programs may lack.

/** Why PostgreSQL answers, but cannot be used. */
export type UnusablePostgresReason =
  /** It is older than version 13. */
  | "version"
  /** The address leads to a stand-by, or transactions are read-only. */
  | "read_only"
  /** The account may not log in, or not create or use the schema "lethe" or one of its tables. */
  | "no_permission"
  /** It requires TLS, or offers none, or the certificate of either side is not accepted. */
  | "tls"
  /** The database of the address does not exist. */
  | "no_database"
  /** The schema "lethe" lacks one of its tables. */
  | "incomplete"
  /** Notifications do not arrive: the address leads to a pooler in transaction mode. */
  | "no_messages";

/**
 * PostgreSQL answers, but cannot be used. `reason` says why. `connectPostgres` rejects with it.
 *
 * @example
 * import { connectPostgres, UnusablePostgresError } from "@lethe/postgres";
 *
 * try {
 *   const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe" });
 *   await postgres.close();
 * } catch (error) {
 *   if (error instanceof UnusablePostgresError) console.error(error.reason, error.message);
 * }
 */
export class UnusablePostgresError extends Error {
  readonly reason: UnusablePostgresReason;

  constructor(reason: UnusablePostgresReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnusablePostgresError";
    this.reason = reason;
  }
}

// Which errors mean that the database cannot be used now, in contrast to a statement that it rejects.
import pg from "pg";

/**
 * The database cannot be reached, is starting or stopping, is a read-only stand-by, or did not answer in time. Whether a statement ran is
 * unknown if its answer was lost. Retry later.
 *
 * @example
 * import { PostgresUnavailableError } from "@lethe/postgres";
 *
 * console.log(new PostgresUnavailableError("the connection was lost").name); // PostgresUnavailableError
 */
export class PostgresUnavailableError extends Error {
  /** The SQLSTATE with which the database answered. Undefined without an answer. */
  readonly code: string | undefined;

  constructor(message: string, { code, ...options }: ErrorOptions & { readonly code?: string | undefined } = {}) {
    super(message, options);
    this.name = "PostgresUnavailableError";
    this.code = code;
  }
}

/** The statement was not sent to the database. */
export class NotRunError extends PostgresUnavailableError {}

/** Classes and codes of SQLSTATE: connection, resources, operator intervention (also a statement timeout), system, read-only. */
const unavailable = /^(?:08|53|57|58|25006|25P03|55P03)/;

/** Whether a connection is usable after this error. */
export function leavesConnectionUsable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === "ERROR" && error.code !== "25006";
}

/** Whether the database answers and rejects a connection, in contrast to one that is starting or stopping. */
export function isDenial(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !error.code?.startsWith("57");
}

/** The error without the values of the statement. */
export function toPostgresError(error: unknown): Error {
  if (error instanceof PostgresUnavailableError) return error;
  const { message } = error as Error;
  if (!(error instanceof pg.DatabaseError)) return new PostgresUnavailableError(reasonOf(error as Error));
  if (unavailable.test(error.code ?? "")) return new PostgresUnavailableError(message, { code: error.code });
  return Object.assign(new Error(`PostgreSQL rejected a statement: ${message}`), { code: error.code });
}

/** The AggregateError of a host name with several addresses has no useful message of its own. */
export function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message || error.message || String((error as NodeJS.ErrnoException).code ?? "no reason given");
}

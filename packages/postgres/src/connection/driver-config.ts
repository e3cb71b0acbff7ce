// The settings of each connection of the driver.
import pg from "pg";

/** How much later than the server the driver gives up a statement, in ms. */
export const lateMs = 1_000;
/** What each connection sets. PgBouncer accepts such a connection only if its settings ignore them. */
export const sessionParameters = ["statement_timeout", "idle_in_transaction_session_timeout"] as const;
/** Type int8. Its values here are times, versions and counts below 2^53. */
const bigintType = 20;
/**
 * The modes that the driver treats as `verify-full`. It warns on stderr that its next major version will treat them as libpq does, which
 * checks no certificate for `require`, and encrypts nothing for `prefer` if the server offers no TLS.
 */
const strictModes = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g;
/** The program has chosen what libpq does. */
const choosesLibpq = /[?&]uselibpqcompat=true(?=[&#]|$)/;

export function toDriverConfig(url: string, timeoutMs: number): pg.ClientConfig {
  return {
    connectionString: choosesLibpq.test(url) ? url : url.replace(strictModes, "$1verify-full"),
    application_name: "lethe",
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    // Later than the server, which says more about the reason.
    query_timeout: timeoutMs + lateMs,
    types: {
      getTypeParser: (type: number, format?: "text" | "binary") =>
        type === bigintType ? Number : pg.types.getTypeParser(type, format as "text"),
    },
  };
}

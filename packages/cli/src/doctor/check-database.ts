// The PostgreSQL that replicas share: reachable, usable, its version, its clock and its connections.
import type { GatewaySettings } from "@lethe/gateway";
import type { CheckedPostgres } from "@lethe/postgres";
import { hideSecrets } from "@lethe/probe";
import { toClock } from "./clock-finding.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** The default of `maxConnections`. */
const connectionsForStatements = 10;
/** The one for messages. */
const connectionsForMessages = 1;

export async function checkDatabase(
  settings: NonNullable<GatewaySettings["postgres"]>,
  workers: number,
): Promise<Finding[]> {
  const { checkPostgres } = await import("@lethe/postgres");
  const { url, maxConnections = connectionsForStatements } = settings;
  const needed = { workers, each: maxConnections + connectionsForMessages };
  return toDatabaseFindings(hideSecrets(url), await checkPostgres(settings), needed);
}

export interface NeededConnections {
  readonly workers: number;
  /** Of each worker. */
  readonly each: number;
}

/** `name` is the URL without secrets. */
export function toDatabaseFindings(name: string, checked: CheckedPostgres, needed: NeededConnections): Finding[] {
  const { isReached, problem: unusable, version, clockAheadMs, connectionLimit } = checked;
  if (unusable !== undefined) {
    const remedy = isReached
      ? "change what the text names"
      : "start PostgreSQL, or correct gateway.postgres.url or LETHE_POSTGRES_URL";
    const text = `${name} ${isReached ? "cannot be used" : "is not reachable"}`;
    return [problem("store", text, { cause: hideSecrets(unusable), remedy })];
  }
  const found = ok("store", `${name} is reachable${version === undefined ? "" : `, version ${version}`}`);
  return [found, ...toClock("PostgreSQL", clockAheadMs), ...toConnections(connectionLimit, needed)];
}

function toConnections(limit: number | undefined, { workers, each }: NeededConnections): Finding[] {
  if (limit === undefined || limit >= workers * each) return [];
  const sum = workers === 1 ? "" : `, ${each} for each of its ${workers} workers`;
  return [
    warning(
      "store",
      `this account may have ${limit} connections to PostgreSQL, and the gateway needs ${workers * each}${sum}`,
      {
        cause: "without a connection, requests wait or fail, and another gateway does not start",
        remedy:
          "raise max_connections of PostgreSQL and the CONNECTION LIMIT of the account and the database, or lower gateway.postgres.maxConnections",
      },
    ),
  ];
}

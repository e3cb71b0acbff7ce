// Counts the requests of each caller for all processes together, in PostgreSQL.

import { createHash } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { withDeadline } from "@lethe/server/forwarding";
import { createSharedRateCounter, type RateCounter, type RateReservation, type RateStore } from "@lethe/server/stores";
import type { PostgresLink, Statement, Value } from "../connection/postgres-link.ts";

/** Options of `createPostgresRateCounter`. */
export interface PostgresRateCounterOptions {
  /** The name of the limit; limits that share a prefix need different names. Default "requests". */
  name?: string;
  /**
   * Whether a process reserves requests of a busy caller in advance, at most an eighth of the limit, and so runs a fraction of a statement
   * per request. False runs one statement per request. Default true.
   */
  prefetch?: boolean;
  /** How long a request waits for PostgreSQL, in ms. Default 1,000. */
  patienceMs?: number;
  /** After a timeout, how long this process counts alone before it tries PostgreSQL again, in ms. Default 5,000. */
  pauseMs?: number;
  /** Callers that this process counts meanwhile. Default 10,000. */
  maxCallers?: number;
  /** Called each time this process starts to count alone. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownPostgresRateCounterOptions: KnownOptions<PostgresRateCounterOptions> = {
  name: true,
  prefetch: true,
  patienceMs: true,
  pauseMs: true,
  maxCallers: true,
  onWarning: true,
};

/**
 * $1 prefix, $2 name, $3 caller, $4 `max` and $5 `windowMs` of the rate, $6 `needed`, $7 `ahead` and $8 `share` of the units. A leaky bucket:
 * each unit costs a time, and `expires_at` is when all of them are paid. A unit is granted up to 1 ms early. Returns no row if another
 * process has just created the row of the caller.
 */
const reserve: Statement = {
  name: "lethe_rate_reserve",
  text: `
WITH clock AS MATERIALIZED (SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now),
known AS MATERIALIZED (
  SELECT expires_at FROM lethe.rates WHERE prefix = $1 AND name = $2 AND caller = $3 FOR UPDATE
),
bucket AS MATERIALIZED (
  SELECT now, $5::double precision / $4::double precision AS cost, greatest(now, (SELECT expires_at FROM known)) AS paid_at FROM clock
),
filled AS MATERIALIZED (
  SELECT *, greatest(0, ceil((now + $5::double precision + 1 - paid_at) / cost) - 1) AS units FROM bucket
),
grants AS MATERIALIZED (
  SELECT *, least($6::double precision, units)
    + least($7::double precision, floor((units - least($6::double precision, units)) * $8::double precision)) AS granted
  FROM filled
),
taken AS (
  INSERT INTO lethe.rates AS rate (prefix, name, caller, expires_at)
  SELECT $1, $2, $3, paid_at + granted * cost FROM grants WHERE granted > 0
  ON CONFLICT (prefix, name, caller) DO UPDATE SET expires_at = excluded.expires_at WHERE EXISTS (SELECT FROM known)
  RETURNING expires_at
),
settled AS (
  SELECT now, cost, granted, paid_at + granted * cost AS paid_at FROM grants WHERE granted = 0 OR EXISTS (SELECT FROM taken)
)
SELECT granted, paid_at - now AS "fullInMs",
  CASE WHEN paid_at + cost - now - $5::double precision < 1 THEN 0
    ELSE ceil(paid_at + cost - now - $5::double precision) END AS "waitMs"
FROM settled`,
};

/** A row that exists is locked, so the second attempt fails only if the row was deleted meanwhile. */
const maxAttempts = 5;

/** Also a store that answers may not count, for want of connections or memory. */
const alone = ({ message }: Error): string =>
  `PostgreSQL does not count requests (${message}): each process counts alone until it does`;

/**
 * Creates the counter for the option `counter` of `rateLimit`, shared by all processes. It works as long as the connection.
 *
 * @example
 * import { connectPostgres, createPostgresRateCounter } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const counter = createPostgresRateCounter(postgres, { name: "calls" });
 * console.log(await counter.take("ann", { max: 600, windowMs: 60_000 })); // 0
 * await postgres.close();
 */
export function createPostgresRateCounter(
  postgres: Pick<PostgresLink, "prefix" | "run">,
  options: PostgresRateCounterOptions = {},
): RateCounter {
  checkOptions("createPostgresRateCounter", options, knownPostgresRateCounterOptions);
  const { name = "requests", patienceMs = 1_000, onWarning = console.warn } = options;
  return createSharedRateCounter(createPostgresRateStore(postgres, { name, patienceMs }), {
    prefetch: options.prefetch,
    pauseMs: options.pauseMs,
    maxCallers: options.maxCallers,
    onAlone: (error) => onWarning(alone(error as Error)),
  });
}

export function createPostgresRateStore(
  postgres: Pick<PostgresLink, "prefix" | "run">,
  { name, patienceMs }: { readonly name: string; readonly patienceMs: number },
): RateStore {
  async function run(values: readonly Value[]): Promise<RateReservation> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const [reservation] = await postgres.run<RateReservation>(reserve, values);
      if (reservation) return reservation;
    }
    throw new Error(`the row of a caller in lethe.rates was replaced ${maxAttempts} times while its rate was counted`);
  }

  return {
    reserve: (callerId, { max, windowMs }, { needed, ahead, share }) =>
      withDeadline(patienceMs, run([postgres.prefix, name, digestOf(callerId), max, windowMs, needed, ahead, share])),
  };
}

/** Empty for all callers without an id together. */
function digestOf(callerId: string | undefined): string {
  return callerId === undefined ? "" : createHash("sha256").update(callerId).digest("base64url");
}

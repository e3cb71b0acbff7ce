// Counts the requests of each caller for all processes together. While PostgreSQL does not answer, each process counts for itself: no
// request is rejected for that reason, and no caller is without a limit.

import { createHash } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createMemoryRateCounter, type Rate, type RateCounter } from "@lethe/server/stores";
import type { PostgresLink, Statement } from "../connection/postgres-link.ts";
import { withDeadline } from "../connection/with-deadline.ts";

/** Options of `createPostgresRateCounter`. */
export interface PostgresRateCounterOptions {
  /** The name of the limit; limits that share a prefix need different names. Default "requests". */
  name?: string;
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
  patienceMs: true,
  pauseMs: true,
  maxCallers: true,
  onWarning: true,
};

/**
 * $1 prefix, $2 name, $3 caller, $4 the number of requests, $5 the window in ms. A leaky bucket: each request costs a time, and
 * `expires_at` is when all of them are paid. Returns the wait in ms, 0 if the request is admitted.
 */
const take: Statement = {
  name: "lethe_rate_take",
  text: `
WITH clock AS MATERIALIZED (SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now),
taken AS (
  INSERT INTO lethe.rates AS known (prefix, name, caller, expires_at)
  SELECT $1, $2, $3, now + $5::double precision / $4::double precision FROM clock
  ON CONFLICT (prefix, name, caller) DO UPDATE SET
    expires_at = greatest(known.expires_at, (SELECT now FROM clock)) + $5::double precision / $4::double precision
  WHERE known.expires_at + $5::double precision / $4::double precision - $5::double precision < (SELECT now FROM clock) + 1
  RETURNING 0 AS wait
)
SELECT wait FROM taken
UNION ALL
SELECT greatest(1, ceil(expires_at + $5::double precision / $4::double precision - $5::double precision - now))::integer
FROM lethe.rates, clock WHERE prefix = $1 AND name = $2 AND caller = $3 AND NOT EXISTS (SELECT FROM taken)`,
};

const away = "PostgreSQL does not answer: each process counts requests alone until it does";

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
  const { name = "requests", patienceMs = 1_000, pauseMs = 5_000, onWarning = console.warn } = options;
  const { maxCallers } = options;
  const here = createMemoryRateCounter({ ...(maxCallers !== undefined && { maxCallers }) });
  let hereUntil = 0;
  let isAway = false;

  async function ask(callerId: string | undefined, rate: Rate): Promise<number> {
    const values = [postgres.prefix, name, digestOf(callerId), rate.max, rate.windowMs];
    try {
      const [answer] = await withDeadline(patienceMs, postgres.run<{ wait: number }>(take, values));
      isAway = false;
      // A concurrent first request of the caller, which is not visible yet, makes both results empty.
      return answer?.wait ?? here.take(callerId, rate);
    } catch {
      hereUntil = performance.now() + pauseMs;
      if (!isAway) onWarning(away);
      isAway = true;
      return here.take(callerId, rate);
    }
  }

  return {
    take: (callerId, rate) => (performance.now() < hereUntil ? here.take(callerId, rate) : ask(callerId, rate)),
  };
}

/** Empty for all callers without an id together. */
function digestOf(callerId: string | undefined): string {
  return callerId === undefined ? "" : createHash("sha256").update(callerId).digest("base64url");
}

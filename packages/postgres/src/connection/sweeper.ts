// Deletes expired rows of all servers in bounded batches, so that a server that is taken out leaves nothing. Processes that sweep at the
// same time delete different rows.
import type { Run, Statement } from "./postgres-link.ts";

/** How often a process deletes expired rows, in ms. Each interval is reduced by up to a fifth at random. */
const sweepEveryMs = 60_000;
/** Rows deleted in one statement. */
const maxRows = 500;
/** Statements per table and interval. */
const maxBatches = 200;
/** How long a server keeps the record of its last contact, in ms. */
const contactMs = 86_400_000;

/** How long the lease of a replica is remembered after it expired, in ms: the next owners of its sessions learn that it had them. */
const rememberMs = 3_600_000;

const expired = "expires_at <= (SELECT lethe.now_ms())";

const forgotten = `expires_at <= (SELECT lethe.now_ms()) - ${rememberMs}`;

/** $1: the number of rows. The arguments are constants of this file. */
function deleteFrom(table: string, condition: string, order = ""): Statement {
  const text = `
WITH gone AS (
  DELETE FROM lethe.${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM lethe.${table} WHERE ${condition} ${order} LIMIT $1 FOR UPDATE SKIP LOCKED
  )) RETURNING 1
)
SELECT count(*) AS deleted FROM gone`;
  return { name: `lethe_sweep_${table}`, text };
}

/**
 * For a table with an index of `expires_at`. Without the order, PostgreSQL reads the whole table: it assumes that a third of the rows have
 * expired, so that the first ones would do.
 */
function deleteExpiredFrom(table: string): Statement {
  return deleteFrom(table, expired, "ORDER BY expires_at");
}

const sweepTasks = deleteExpiredFrom("tasks");

const sweepAll: readonly Statement[] = [
  sweepTasks,
  // The row of a worker is needed as long as it holds tasks.
  deleteFrom(
    "workers",
    `${expired} AND NOT EXISTS (
      SELECT FROM lethe.tasks WHERE tasks.prefix = workers.prefix AND tasks.worker = workers.worker
    )`,
  ),
  deleteFrom("contacts", `heard_at <= (SELECT lethe.now_ms()) - ${contactMs}`),
  deleteFrom("task_usage", "live = 0 AND ended = 0"),
  deleteExpiredFrom("rounds"),
  deleteFrom("round_usage", "rounds = 0"),
  deleteExpiredFrom("session_states"),
  deleteExpiredFrom("rates"),
  // Their events go with them.
  deleteExpiredFrom("event_streams"),
  deleteExpiredFrom("writers"),
  deleteExpiredFrom("records"),
  deleteFrom("replica_notes", expired),
  deleteFrom(
    "owned_sessions",
    `(prefix, lease) IN (SELECT prefix, lease FROM lethe.replica_leases WHERE is_over AND ${forgotten})`,
  ),
  deleteFrom(
    "replica_leases",
    `is_over AND ${forgotten} AND NOT EXISTS (
      SELECT FROM lethe.owned_sessions AS session
      WHERE session.prefix = replica_leases.prefix AND session.lease = replica_leases.lease
    )`,
  ),
];

/** Deletes the expired tasks of all servers. */
export function deleteExpiredTasks(run: Run): Promise<void> {
  return repeat(run, sweepTasks);
}

/** A lease whose rows are deleted must not be renewed before that, also if the clock of the database is set back. */
const endForgotten: Statement = {
  name: "lethe_sweep_end_leases",
  text: `UPDATE lethe.replica_leases SET is_over = true WHERE NOT is_over AND ${forgotten}`,
};

/** Deletes expired rows of all tables. */
export async function deleteExpired(run: Run): Promise<void> {
  await run(endForgotten, []);
  for (const statement of sweepAll) await repeat(run, statement);
}

async function repeat(run: Run, statement: Statement): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch++) {
    const [answer] = await run<{ deleted: number }>(statement, [maxRows]);
    if (!answer || answer.deleted < maxRows) return;
  }
}

/** Returns a function that stops the sweeps. */
export function startSweeper(run: Run): () => void {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  function schedule(): void {
    if (isClosed) return;
    const delayMs = sweepEveryMs * (1 - Math.random() / 5);
    timer = setTimeout(() => void deleteExpired(run).then(schedule, schedule), delayMs).unref();
  }
  schedule();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

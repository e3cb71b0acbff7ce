// The statements by which workers acquire tasks, keep them, and leave. Parameter $1 is the prefix.
import type { Statement } from "../connection/postgres-link.ts";

/**
 * $2 worker, $3 lease. Notes that the worker was heard of and renews its lease. A silence of more than half a lease begins a time in which
 * no task is taken from a worker. The record of the contact is written ten times per lease at most, since all workers share it. Returns
 * what there is to do before tasks are acquired.
 */
export const hearWorker: Statement = {
  name: "lethe_task_hear",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
renewed AS (
  INSERT INTO lethe.workers AS known (prefix, worker, expires_at) SELECT $1, $2, now + $3::bigint FROM clock
  ON CONFLICT (prefix, worker) DO UPDATE SET expires_at = excluded.expires_at
),
heard AS (
  INSERT INTO lethe.contacts AS known (prefix, heard_at, quiet_until) SELECT $1, now, now + $3::bigint FROM clock
  ON CONFLICT (prefix) DO UPDATE SET
    heard_at = excluded.heard_at,
    quiet_until = CASE
      WHEN excluded.heard_at - known.heard_at > $3::bigint / 2 THEN excluded.quiet_until ELSE known.quiet_until
    END
  WHERE excluded.heard_at - known.heard_at > $3::bigint / 10
  RETURNING quiet_until
),
contact AS (
  SELECT coalesce((SELECT quiet_until FROM heard), (SELECT quiet_until FROM lethe.contacts WHERE prefix = $1), 0) AS quiet_until
)
SELECT
  now >= quiet_until AND EXISTS (SELECT FROM lethe.workers WHERE prefix = $1 AND expires_at <= now) AS "hasLost",
  EXISTS (SELECT FROM lethe.tasks WHERE prefix = $1 AND is_delayed AND ready_at <= now) AS "hasDue"
FROM clock, contact`,
};

/** $2 the number of workers. Ends their leases. Another process that does the same takes other workers. */
export const removeLostWorkers: Statement = {
  name: "lethe_task_remove_lost_workers",
  text: `
DELETE FROM lethe.workers WHERE prefix = $1 AND worker = ANY (ARRAY(
  SELECT worker FROM lethe.workers WHERE prefix = $1 AND expires_at <= (SELECT lethe.now_ms())
  ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
))
RETURNING worker`,
};

/** $2 workers. Locks their tasks. */
export const lockHeldTasks: Statement = {
  name: "lethe_task_lock_held",
  text: `
SELECT id, worker, fence, losses, deaths FROM lethe.tasks
WHERE prefix = $1 AND worker = ANY ($2::text[]) AND expires_at > (SELECT lethe.now_ms())
ORDER BY id FOR NO KEY UPDATE`,
};

/** $2 ids, $3 deaths that each is charged with, $4 how long each is delayed, in ms. */
export const takeBackTasks: Statement = {
  name: "lethe_task_take_back",
  text: `
UPDATE lethe.tasks SET
  worker = NULL,
  losses = losses + 1,
  deaths = deaths + lost.charge,
  ready_at = clock.now + lost.delay,
  is_delayed = lost.delay > 0
FROM unnest($2::text[], $3::integer[], $4::bigint[]) AS lost (id, charge, delay), (SELECT lethe.now_ms() AS now) AS clock
WHERE prefix = $1 AND tasks.id = lost.id`,
};

/** $2 the number of tasks. Ends the delay of those that are due. */
export const endDelays: Statement = {
  name: "lethe_task_end_delays",
  text: `
UPDATE lethe.tasks SET is_delayed = false WHERE prefix = $1 AND id = ANY (ARRAY(
  SELECT id FROM lethe.tasks WHERE prefix = $1 AND is_delayed AND ready_at <= (SELECT lethe.now_ms())
  ORDER BY ready_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
))`,
};

/**
 * Acquires tasks for the worker $2, whose lease exists and cannot be ended meanwhile, and returns each with its content.
 * `found` selects their ids, and locks them.
 */
function acquireTasks(name: string, found: string): Statement {
  const text = `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
leased AS MATERIALIZED (SELECT FROM lethe.workers WHERE prefix = $1 AND worker = $2 FOR KEY SHARE),
found AS MATERIALIZED (${found}),
chosen AS (SELECT id, ready_at FROM found ORDER BY priority DESC, ready_at, id LIMIT $3)
UPDATE lethe.tasks SET worker = $2, fence = fence + 1, ready_at = NULL FROM chosen, clock, leased
WHERE prefix = $1 AND tasks.id = chosen.id
RETURNING tasks.id, priority, chosen.ready_at AS "readyAt", state, work, created_at AS "createdAt", expires_at - clock.now AS "expiresInMs",
  worker, fence, losses, deaths`;
  return { name, text };
}

/** $3 the number of tasks, $4 lanes. Rows that other processes acquire at the same time are skipped. */
function foundInLanes(losses: string): string {
  return `
  SELECT task.* FROM clock, unnest($4::text[]) AS wanted (lane) CROSS JOIN LATERAL (
    SELECT id, priority, ready_at FROM lethe.tasks
    WHERE prefix = $1 AND lane = wanted.lane AND ready_at IS NOT NULL AND NOT is_delayed AND ${losses}
      AND expires_at > clock.now
    ORDER BY priority DESC, ready_at, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
  ) AS task`;
}

export const acquireInLanes: Statement = acquireTasks("lethe_task_acquire", foundInLanes("losses < 2"));
/** A suspect was lost twice or more often. */
export const acquireSuspects: Statement = acquireTasks("lethe_task_acquire_suspect", foundInLanes("losses >= 2"));

/** $3 the number of tasks, $4 the id, $5 whether it may be a suspect. Waits for another process that changes the task. */
export const acquireOne: Statement = acquireTasks(
  "lethe_task_acquire_one",
  `
  SELECT id, priority, ready_at FROM lethe.tasks
  WHERE prefix = $1 AND id = $4 AND ready_at IS NOT NULL AND NOT is_delayed AND (losses < 2 OR $5::boolean)
    AND expires_at > (SELECT now FROM clock)
  FOR NO KEY UPDATE`,
);

/** $2 ids. Returns the journals in the order of their entries. */
export const readJournals: Statement = {
  name: "lethe_task_read_journals",
  text: `
SELECT task_id AS "taskId", entry FROM lethe.journal
WHERE prefix = $1 AND task_id = ANY ($2::text[]) ORDER BY task_id, position`,
};

/** $2 worker. */
export const listHeldTasks: Statement = {
  name: "lethe_task_list_held",
  text: `
SELECT id AS "taskId", fence FROM lethe.tasks
WHERE prefix = $1 AND worker = $2 AND expires_at > (SELECT lethe.now_ms()) ORDER BY created_at, id`,
};

/** $2 worker. */
export const retireWorker: Statement = {
  name: "lethe_task_retire",
  text: `
WITH removed AS (DELETE FROM lethe.workers WHERE prefix = $1 AND worker = $2)
UPDATE lethe.tasks SET worker = NULL, ready_at = lethe.now_ms(), is_delayed = false WHERE prefix = $1 AND worker = $2`,
};

/** Expired tasks that were not deleted yet do not count. */
export const countTasks: Statement = {
  name: "lethe_task_count",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
gone AS (
  SELECT count(*) FILTER (WHERE NOT is_ended) AS live, count(*) FILTER (WHERE is_ended) AS ended
  FROM lethe.tasks, clock WHERE prefix = $1 AND expires_at <= clock.now
),
waiting AS (
  SELECT count(*) AS number, min(ready_at) AS since
  FROM lethe.tasks, clock WHERE prefix = $1 AND ready_at <= clock.now AND expires_at > clock.now
)
SELECT
  (SELECT count(*) FROM lethe.tasks WHERE prefix = $1 AND worker IS NOT NULL AND expires_at > clock.now) AS running,
  waiting.number AS waiting,
  coalesce(greatest(clock.now - waiting.since, 0), 0) AS "oldestWaitingMs",
  coalesce(usage.live, 0) - gone.live AS live,
  coalesce(usage.ended, 0) - gone.ended AS ended
FROM clock CROSS JOIN gone CROSS JOIN waiting
LEFT JOIN lethe.task_usage AS usage ON usage.prefix = $1 AND usage.owner = ''`,
};

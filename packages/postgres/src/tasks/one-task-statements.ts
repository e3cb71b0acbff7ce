// The statements that create, read and change one task. Parameter $1 is the prefix, $2 the id.
import type { Statement } from "../connection/postgres-link.ts";

/** Locks the numbers of tasks of all ($2 is empty) or of one owner, so that no other process creates a task meanwhile. */
export const lockUsage: Statement = {
  name: "lethe_task_lock_usage",
  text: `
INSERT INTO lethe.task_usage AS known (prefix, owner, live, ended) VALUES ($1, $2, 0, 0)
ON CONFLICT (prefix, owner) DO UPDATE SET live = known.live
RETURNING live, ended`,
};

/** $3 owner, $4 lane, $5 priority, $6 state, $7 work, $8 ttl, $9 worker, $10 lease, $11 entries. The worker's lease is renewed. */
export const insertTask: Statement = {
  name: "lethe_task_insert",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
renewed AS (
  INSERT INTO lethe.workers AS known (prefix, worker, expires_at) SELECT $1, $9, now + $10::bigint FROM clock
  ON CONFLICT (prefix, worker) DO UPDATE SET expires_at = excluded.expires_at
),
created AS (
  INSERT INTO lethe.tasks (prefix, id, owner, lane, priority, state, work, created_at, expires_at, worker)
  SELECT $1, $2, $3, $4, $5::smallint, $6, $7, now, now + $8::bigint, $9 FROM clock
  RETURNING created_at
),
added AS (
  INSERT INTO lethe.journal (prefix, task_id, position, entry)
  SELECT $1, $2, place - 1, entry FROM unnest($11::text[]) WITH ORDINALITY AS entries (entry, place)
)
SELECT created_at AS "createdAt" FROM created`,
};

const columns = `
state, created_at AS "createdAt", worker, fence, losses, deaths, clock.now
FROM lethe.tasks, (SELECT lethe.now_ms() AS now) AS clock
WHERE prefix = $1 AND id = $2 AND expires_at > clock.now`;

export const readTask: Statement = { name: "lethe_task_read", text: `SELECT ${columns}` };

/** Another process that changes the task waits until the transaction ends. */
export const lockTask: Statement = { name: "lethe_task_lock", text: `SELECT ${columns} FOR NO KEY UPDATE OF tasks` };

/**
 * $3 state, $4 ttl, $5 what becomes of the task ("held", "waiting", "idle" or "ended"), $6 the delay or null for an unchanged one,
 * $7 deaths. A task that waits already keeps its place without a new delay.
 */
export const replaceTask: Statement = {
  name: "lethe_task_replace",
  text: `
WITH emptied AS (DELETE FROM lethe.journal WHERE prefix = $1 AND task_id = $2 AND $5 = 'ended')
UPDATE lethe.tasks SET
  state = $3,
  expires_at = created_at + $4::bigint,
  deaths = $7,
  losses = CASE WHEN $5 IN ('idle', 'ended') THEN 0 ELSE losses END,
  worker = CASE WHEN $5 = 'held' THEN worker END,
  work = CASE WHEN $5 <> 'ended' THEN work END,
  is_ended = is_ended OR $5 = 'ended',
  ready_at = CASE
    WHEN $5 <> 'waiting' THEN NULL
    WHEN ready_at IS NOT NULL AND $6::bigint IS NULL THEN ready_at
    ELSE lethe.now_ms() + coalesce($6::bigint, 0)
  END,
  is_delayed = CASE
    WHEN $5 <> 'waiting' THEN false
    WHEN ready_at IS NOT NULL AND $6::bigint IS NULL THEN is_delayed
    ELSE coalesce($6::bigint, 0) > 0
  END
WHERE prefix = $1 AND id = $2`,
};

/**
 * $3 fence, $4 position, $5 entries, $6 workers, of which one must hold the task. Returns the length of the journal before, or no row without the right to write. Entries that exist
 * are skipped. The order of locks makes a concurrent loss of the worker wait.
 */
export const appendEntries: Statement = {
  name: "lethe_task_append",
  text: `
WITH held AS MATERIALIZED (
  SELECT losses FROM lethe.tasks
  WHERE prefix = $1 AND id = $2 AND fence = $3 AND worker = ANY ($6::text[]) AND expires_at > (SELECT lethe.now_ms())
  FOR NO KEY UPDATE
),
known AS (
  SELECT coalesce(max(position) + 1, 0) AS length FROM lethe.journal WHERE prefix = $1 AND task_id = $2
),
added AS (
  INSERT INTO lethe.journal (prefix, task_id, position, entry)
  SELECT $1, $2, $4::integer + place - 1, entry
  FROM held, known, unnest($5::text[]) WITH ORDINALITY AS entries (entry, place)
  WHERE known.length >= $4::integer
  ON CONFLICT (prefix, task_id, position) DO NOTHING
),
progressed AS (
  UPDATE lethe.tasks SET losses = 0 FROM held, known
  WHERE prefix = $1 AND id = $2 AND held.losses > 0 AND known.length >= $4::integer
)
SELECT known.length FROM held, known`,
};

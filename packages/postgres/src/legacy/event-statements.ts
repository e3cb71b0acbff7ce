// The statements of the event log. Parameter $1 is the prefix.
import type { Statement } from "../connection/postgres-link.ts";

/**
 * $2 streams, $3 numbers of events, $4 encrypted events (empty for the begin or the end of a stream), $5 whether each is the end, all in one
 * order. $6 writer, $7 its lease, $8 events kept per stream, $9 how long a stream without events is kept, $10 how long an ended one.
 */
export const writeEvents: Statement = {
  name: "lethe_event_write",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
written AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::integer[], $4::text[], $5::boolean[]) AS written (stream, seq, event, is_end)
),
changed AS MATERIALIZED (
  SELECT stream, max(seq) AS last_seq, bool_or(is_end) AS is_ended FROM written GROUP BY stream ORDER BY stream
),
alive AS (
  INSERT INTO lethe.writers AS known (prefix, writer, expires_at) SELECT $1, $6, now + $7::bigint FROM clock
  ON CONFLICT (prefix, writer) DO UPDATE SET expires_at = greatest(known.expires_at, excluded.expires_at)
),
streams AS (
  INSERT INTO lethe.event_streams AS known (prefix, stream, writer, is_ended, expires_at)
  SELECT $1, stream, $6, is_ended, now + CASE WHEN is_ended THEN $10::bigint ELSE $9::bigint END FROM changed, clock
  ON CONFLICT (prefix, stream) DO UPDATE SET
    writer = excluded.writer, is_ended = known.is_ended OR excluded.is_ended, expires_at = excluded.expires_at
),
added AS (
  INSERT INTO lethe.events (prefix, stream, seq, event)
  SELECT $1, stream, seq, event FROM written JOIN changed USING (stream)
  WHERE event <> '' AND seq > last_seq - $8::integer
  ON CONFLICT (prefix, stream, seq) DO NOTHING
)
DELETE FROM lethe.events USING changed
WHERE prefix = $1 AND events.stream = changed.stream AND events.seq <= changed.last_seq - $8::integer`,
};

/** $2 writer, $3 its lease. */
export const renewWriter: Statement = {
  name: "lethe_event_renew",
  text: "UPDATE lethe.writers SET expires_at = lethe.now_ms() + $3::bigint WHERE prefix = $1 AND writer = $2",
};

/** $2 stream, $3 the last known number. Returns the events after it, or one row without an event; no row for an unknown stream. */
export const readEvents: Statement = {
  name: "lethe_event_read",
  text: `
SELECT seq, event, is_ended AS "isEnded", EXISTS (
  SELECT FROM lethe.writers WHERE writers.prefix = $1 AND writers.writer = streams.writer AND writers.expires_at > clock.now
) AS "isAlive"
FROM (SELECT lethe.now_ms() AS now) AS clock
CROSS JOIN lethe.event_streams AS streams
LEFT JOIN lethe.events ON events.prefix = $1 AND events.stream = $2 AND events.seq > $3
WHERE streams.prefix = $1 AND streams.stream = $2 AND streams.expires_at > clock.now
ORDER BY seq`,
};

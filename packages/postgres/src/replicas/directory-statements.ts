// The statements behind leases and session ownership. Each is one atomic step.
//
// A lease that is over never runs again, and only a running lease can become the owner of a session. Both facts are final, so a statement
// may rely on them although its snapshot is older than its effect: it replaces an owner only if the row still names that owner.
//
// Each lease has a marker among the sessions, a row with the lease as its key. It is missing after the table was emptied by hand. The start
// time of the server tells a server from the one that replaced it, and costs nothing to read.
import type { Statement } from "../connection/postgres-link.ts";

/** As a number: a text would depend on the settings of the connection. */
const startedAt = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text";
const server = `${startedAt} AS server`;

function hasMarker(lease: string): string {
  return `EXISTS (SELECT FROM lethe.owned_sessions WHERE prefix = $1 AND key = 'lease:' || ${lease})`;
}

/** The row that `beginLease` returns. */
export interface BegunLease {
  readonly server: string;
  /** Whether another replica has a running lease without its marker. */
  readonly lacksMarkers: boolean;
}

/** $1 prefix, $2 lease, $3 replica, $4 entry, $5 length in ms. */
export const beginLease: Statement = {
  name: "lethe_lease_begin",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
begun AS (
  INSERT INTO lethe.replica_leases (prefix, lease, replica, entry, length_ms, expires_at)
  SELECT $1, $2, $3, $4, $5::bigint, now + $5::bigint FROM clock
  ON CONFLICT (prefix, lease) DO NOTHING
),
marked AS (
  INSERT INTO lethe.owned_sessions (prefix, key, lease, claim) VALUES ($1, 'lease:' || $2, $2, 0)
  ON CONFLICT (prefix, key) DO NOTHING
)
SELECT ${server}, EXISTS (
  SELECT FROM lethe.replica_leases AS other
  WHERE prefix = $1 AND replica <> $3 AND NOT is_over AND expires_at > now AND NOT ${hasMarker("other.lease")}
) AS "lacksMarkers" FROM clock`,
};

/** The row that `renewLease` returns. */
export interface RenewedLease {
  readonly server: string;
  readonly hasMarker: boolean;
}

/**
 * $1 prefix, $2 lease, $3 length in ms. No row if the lease is not running. The time is read for the row itself: a statement that had to
 * wait for its lock compares a later time.
 */
export const renewLease: Statement = {
  name: "lethe_lease_renew",
  text: `
UPDATE lethe.replica_leases SET expires_at = lethe.now_ms() + $3::bigint
WHERE prefix = $1 AND lease = $2 AND NOT is_over AND expires_at > lethe.now_ms()
RETURNING ${server}, ${hasMarker("$2")} AS "hasMarker"`,
};

/** $1 prefix, $2 lease. A row if the lease is recorded, also after its end. */
export const findLease: Statement = {
  name: "lethe_lease_recorded",
  text: "SELECT lease FROM lethe.replica_leases WHERE prefix = $1 AND lease = $2",
};

/**
 * Returns what a server keeps over a restart, and one that is promoted changes: its system and its timeline. Null if even a restart may
 * lose commits. Managed servers may reject the statement.
 */
export const readHistory: Statement = {
  name: "lethe_history",
  text: `
SELECT CASE WHEN current_setting('synchronous_commit') <> 'off' THEN
  system_identifier || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
END AS history FROM pg_control_system()`,
};

/** $1 prefix, $2 leases that their own replica gives up, $3 whether it stops in order. */
export const endLeases: Statement = {
  name: "lethe_lease_end",
  text: `
UPDATE lethe.replica_leases SET is_over = true, has_left = $3::boolean, expires_at = least(expires_at, lethe.now_ms())
WHERE prefix = $1 AND lease = ANY ($2::text[]) AND NOT is_over`,
};

/** $1 prefix, $2 a lease of another replica. Ends it if it has expired. */
export const revokeLease: Statement = {
  name: "lethe_lease_revoke",
  text: `
UPDATE lethe.replica_leases SET is_over = true
WHERE prefix = $1 AND lease = $2 AND NOT is_over AND expires_at <= lethe.now_ms()`,
};

/** The row that `acquireSession` returns. */
export interface AcquireRow {
  /** Whether the caller's own lease is running at the server that it knows, and has its marker. */
  readonly hasLease: boolean;
  /** The lease that owned the session before, or null. */
  readonly former: string | null;
  readonly isTaken: boolean;
  /** The owner, if its lease is not over, and null otherwise: its replica, its entry, and the time until its lease expires, in ms. */
  readonly replica: string | null;
  readonly entry: string | null;
  readonly lengthMs: number | null;
  readonly remainingMs: number | null;
}

/**
 * Acquires a session for a lease unless another lease that is not over owns it. $1 prefix, $2 key, $3 lease, $4 claim, $5 false to look
 * only, $6 the server that confirmed the lease. A session of the own lease gets the new claim: a release that was sent before and arrives later does not match.
 */
export const acquireSession: Statement = {
  name: "lethe_session_acquire",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
known AS MATERIALIZED (SELECT lease, claim FROM lethe.owned_sessions WHERE prefix = $1 AND key = $2),
owner AS MATERIALIZED (
  SELECT lease, replica, entry, length_ms, expires_at FROM lethe.replica_leases
  WHERE prefix = $1 AND lease = (SELECT lease FROM known) AND NOT is_over
),
own AS MATERIALIZED (
  SELECT FROM lethe.replica_leases, clock
  WHERE prefix = $1 AND lease = $3 AND NOT is_over AND expires_at > now
    AND ${startedAt} = $6 AND ${hasMarker("$3")}
),
taken AS (
  INSERT INTO lethe.owned_sessions AS session (prefix, key, lease, claim)
  SELECT $1, $2, $3, $4::bigint
  WHERE $5::boolean AND EXISTS (SELECT FROM own) AND NOT EXISTS (SELECT FROM owner WHERE lease <> $3)
  ON CONFLICT (prefix, key) DO UPDATE SET lease = excluded.lease, claim = excluded.claim
  WHERE session.lease = (SELECT lease FROM known) AND session.claim = (SELECT claim FROM known)
  RETURNING claim
)
SELECT EXISTS (SELECT FROM own) AS "hasLease", EXISTS (SELECT FROM taken) AS "isTaken", known.lease AS former,
  owner.replica, owner.entry, owner.length_ms AS "lengthMs", owner.expires_at - clock.now AS "remainingMs"
FROM clock LEFT JOIN known ON true LEFT JOIN owner ON true`,
};

/** $1 prefix, and for each session: $2 key, $3 lease, $4 the claim of the owner. */
export const releaseSessions: Statement = {
  name: "lethe_session_release",
  text: `
DELETE FROM lethe.owned_sessions AS session
USING unnest($2::text[], $3::text[], $4::bigint[]) AS released (key, lease, claim)
WHERE session.prefix = $1 AND session.key = released.key AND session.lease = released.lease
  AND session.claim = released.claim`,
};

/** $1 prefix, $2 keys, $3 the former leases of this replica, $4 its new one. Returns the sessions that no other replica has taken. */
export const adoptSessions: Statement = {
  name: "lethe_session_adopt",
  text: `
UPDATE lethe.owned_sessions SET lease = $4
WHERE prefix = $1 AND key = ANY ($2::text[]) AND lease = ANY ($3::text[])
RETURNING key`,
};

/** $1 prefix, $2 keys, $3 lease. Returns the sessions that the lease owns. */
export const findOwned: Statement = {
  name: "lethe_session_find",
  text: "SELECT key FROM lethe.owned_sessions WHERE prefix = $1 AND key = ANY ($2::text[]) AND lease = $3",
};

/** $1 prefix, $2 replica. */
export const findRunningLease: Statement = {
  name: "lethe_lease_find",
  text: `
SELECT entry FROM lethe.replica_leases
WHERE prefix = $1 AND replica = $2 AND NOT is_over AND expires_at > (SELECT lethe.now_ms()) LIMIT 1`,
};

/** The rows that `listLeases` returns: the newest lease of each replica. */
export interface ListedLease {
  readonly replica: string;
  readonly isRunning: boolean;
  readonly hasLeft: boolean;
  readonly lengthMs: number;
  readonly remainingMs: number;
}

/** $1 prefix, $2 the caller, $3 for how long replicas without a lease are listed, in ms, $4 the number of replicas. */
export const listLeases: Statement = {
  name: "lethe_lease_list",
  text: `
SELECT replica, bool_or(NOT is_over AND expires_at > now) AS "isRunning", bool_or(has_left) AS "hasLeft",
  max(length_ms) AS "lengthMs", max(expires_at) - max(now) AS "remainingMs"
FROM lethe.replica_leases, (SELECT lethe.now_ms() AS now) AS clock
WHERE prefix = $1 AND replica <> $2 AND expires_at > now - $3::bigint
GROUP BY replica ORDER BY "isRunning" DESC, "remainingMs" DESC LIMIT $4`,
};

/**
 * $1 prefix, $2 replica, $3 note, $4 its lifetime in ms, $5 how many notes to read. Records the note, and returns those of other replicas
 * with a running lease.
 */
export const exchangeNotes: Statement = {
  name: "lethe_notes_exchange",
  text: `
WITH clock AS MATERIALIZED (SELECT lethe.now_ms() AS now),
own AS (
  INSERT INTO lethe.replica_notes (prefix, replica, note, expires_at) SELECT $1, $2, $3, now + $4::bigint FROM clock
  ON CONFLICT (prefix, replica) DO UPDATE SET note = excluded.note, expires_at = excluded.expires_at
)
SELECT replica, note FROM lethe.replica_notes, clock
WHERE prefix = $1 AND replica <> $2 AND expires_at > now AND replica IN (
  SELECT lease.replica FROM lethe.replica_leases AS lease
  WHERE lease.prefix = $1 AND NOT lease.is_over AND lease.expires_at > now
)
ORDER BY random() LIMIT $5`,
};

/** $1 prefix, $2 key. A row if a replica with a running lease owns the session. */
export const findOwner: Statement = {
  name: "lethe_session_owner",
  text: `
SELECT FROM lethe.owned_sessions AS session JOIN lethe.replica_leases AS lease USING (prefix, lease)
WHERE prefix = $1 AND session.key = $2 AND NOT lease.is_over AND lease.expires_at > (SELECT lethe.now_ms())`,
};

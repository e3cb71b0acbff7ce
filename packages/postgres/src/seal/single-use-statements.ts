// The statements of single-use tokens (E-28). A row per answered state holds its inputs, its answer for a while, and the lease of the process
// that runs the round. Parameter $1 is the prefix.
import type { Statement } from "../connection/postgres-link.ts";

/**
 * $2 id, $3 caller, $4 how long the state is kept from now, $5 the caller's limit, $6 inputs, $7 process, $8 its lease. Returns a row if the
 * round was claimed.
 */
export const claimRound: Statement = {
  name: "lethe_round_claim",
  text: `
INSERT INTO lethe.rounds (prefix, id, caller, expires_at, inputs, process, leased_until)
SELECT $1, $2, $3, now + $4::bigint, $6, $7, now + $8::bigint FROM (SELECT lethe.now_ms() AS now) AS clock
WHERE coalesce((SELECT rounds FROM lethe.round_usage WHERE prefix = $1 AND caller = $3), 0) < $5::bigint
ON CONFLICT (prefix, id) DO NOTHING
RETURNING id`,
};

/** $2 id. */
export const readRound: Statement = {
  name: "lethe_round_read",
  text: `
SELECT inputs, answer, kept_until > now AS "isKept", process, leased_until > now AS "isLeased"
FROM lethe.rounds, (SELECT lethe.now_ms() AS now) AS clock WHERE prefix = $1 AND id = $2`,
};

/** $2 caller, $3 the number of rows. Deletes expired states of a caller who has reached the limit. */
export const makeRoom: Statement = {
  name: "lethe_round_make_room",
  text: `
DELETE FROM lethe.rounds WHERE prefix = $1 AND id = ANY (ARRAY(
  SELECT id FROM lethe.rounds WHERE prefix = $1 AND caller = $2 AND expires_at <= (SELECT lethe.now_ms())
  ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
))
RETURNING id`,
};

/** $2 process, $3 lease, $4 ids. */
export const renewRounds: Statement = {
  name: "lethe_round_renew",
  text: `
UPDATE lethe.rounds SET leased_until = lethe.now_ms() + $3::bigint
WHERE prefix = $1 AND process = $2 AND id = ANY ($4::text[]) AND answer IS NULL`,
};

/** $2 id, $3 answer, $4 how long it is kept. */
export const settleRound: Statement = {
  name: "lethe_round_settle",
  text: `
UPDATE lethe.rounds SET answer = $3, kept_until = lethe.now_ms() + $4::bigint, leased_until = NULL
WHERE prefix = $1 AND id = $2`,
};

/** $2 ids. The states stay used. */
export const forgetAnswers: Statement = {
  name: "lethe_round_forget",
  text: `
UPDATE lethe.rounds SET inputs = NULL, answer = NULL, leased_until = NULL WHERE prefix = $1 AND id = ANY ($2::text[])`,
};

/** $2 id. */
export const releaseRound: Statement = {
  name: "lethe_round_release",
  text: "DELETE FROM lethe.rounds WHERE prefix = $1 AND id = $2",
};

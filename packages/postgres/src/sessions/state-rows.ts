// Encrypted states with a version and a time to live, in one table: those of ctx.session, and those of older clients' sessions. Each write is
// one statement that compares the version.
import type { PostgresLink, Statement } from "../connection/postgres-link.ts";

export interface StateRow {
  readonly version: number;
  /** Encrypted. */
  readonly state: string;
}

export interface StateRows {
  read(key: string): Promise<StateRow | undefined>;
  /** Writes if the version is `expected`, 0 for none. Returns the new version, which is higher than every earlier one of the key. */
  write(key: string, state: string, options: { expected: number; ttlMs: number }): Promise<number | undefined>;
  /** Deletes the state, if its version is `expected`. Returns whether it was deleted. */
  delete(key: string, expected?: number): Promise<boolean>;
}

const readState: Statement = {
  name: "lethe_state_read",
  text: `
SELECT version, state FROM lethe.session_states
WHERE prefix = $1 AND key = $2 AND expires_at > (SELECT lethe.now_ms())`,
};

/** $3 state, $4 ttl. Writes only where no state exists, or an expired one. */
const createState: Statement = {
  name: "lethe_state_create",
  text: `
INSERT INTO lethe.session_states AS known (prefix, key, version, state, expires_at)
SELECT $1, $2, now, $3, now + $4::bigint FROM (SELECT lethe.now_ms() AS now) AS clock
ON CONFLICT (prefix, key) DO UPDATE SET
  version = greatest(known.version + 1, excluded.version), state = excluded.state, expires_at = excluded.expires_at
WHERE known.expires_at <= excluded.version
RETURNING version`,
};

/** $3 state, $4 ttl, $5 the expected version. */
const replaceState: Statement = {
  name: "lethe_state_replace",
  text: `
UPDATE lethe.session_states SET version = greatest(version + 1, now), state = $3, expires_at = now + $4::bigint
FROM (SELECT lethe.now_ms() AS now) AS clock
WHERE prefix = $1 AND key = $2 AND version = $5 AND expires_at > now
RETURNING version`,
};

/** $3 the expected version, or null for any. */
const removeState: Statement = {
  name: "lethe_state_remove",
  text: `
DELETE FROM lethe.session_states
WHERE prefix = $1 AND key = $2 AND ($3::bigint IS NULL OR version = $3::bigint) AND expires_at > (SELECT lethe.now_ms())
RETURNING version`,
};

export function createStateRows({ prefix, run }: Pick<PostgresLink, "prefix" | "run">): StateRows {
  return {
    async read(key) {
      const [row] = await run<StateRow>(readState, [prefix, key]);
      return row;
    },
    async write(key, state, { expected, ttlMs }) {
      const values = [prefix, key, state, Math.ceil(ttlMs)];
      const write = expected === 0 ? createState : replaceState;
      const [row] = await run<StateRow>(write, expected === 0 ? values : [...values, expected]);
      return row?.version;
    },
    delete: async (key, expected) => (await run(removeState, [prefix, key, expected ?? null])).length === 1,
  };
}

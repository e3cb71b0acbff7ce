// Small records that replicas share, encrypted with the keys of the deployment. Each has a version, so that a process replaces only
// what it has read.
import type { JsonObject } from "@lethe/protocol";
import { createMessageCipher } from "@lethe/server/sealing";
import type { KeyRing } from "@lethe/server/stores";
import type { PostgresLink, Statement } from "../connection/postgres-link.ts";

export interface PostgresRecordsOptions {
  /** The keys of the deployment. Processes with other keys cannot read the records. */
  readonly keys: KeyRing;
  /** Separates the records of different uses. */
  readonly purpose: string;
  /** The size of a record as JSON, in bytes. Default 1 MiB. */
  readonly maxRecordBytes?: number;
}

/** The methods reject when PostgreSQL is unreachable. */
export interface PostgresRecords {
  /** Undefined for a record that is unknown, has expired, or was sealed with other keys. */
  read(key: string): Promise<{ readonly value: JsonObject; readonly version: number } | undefined>;
  /**
   * Replaces the record that had `version`, or creates it with version 0. Returns false if another process was faster. The
   * record expires after `ttlMs`. Rejects with RangeError when it is too large.
   */
  write(key: string, value: JsonObject, options: { version: number; ttlMs: number }): Promise<boolean>;
}

const readRecord: Statement = {
  name: "lethe_record_read",
  text: `
SELECT version, value FROM lethe.records WHERE prefix = $1 AND key = $2 AND expires_at > (SELECT lethe.now_ms())`,
};

/** $3 value, $4 ttl. Writes only where no record exists, or an expired one. */
const createRecord: Statement = {
  name: "lethe_record_create",
  text: `
INSERT INTO lethe.records AS known (prefix, key, version, value, expires_at)
SELECT $1, $2, 1, $3, now + $4::bigint FROM (SELECT lethe.now_ms() AS now) AS clock
ON CONFLICT (prefix, key) DO UPDATE SET version = 1, value = excluded.value, expires_at = excluded.expires_at
WHERE known.expires_at <= lethe.now_ms()
RETURNING version`,
};

/** $3 value, $4 ttl, $5 the version to replace. */
const replaceRecord: Statement = {
  name: "lethe_record_replace",
  text: `
UPDATE lethe.records SET version = version + 1, value = $3, expires_at = lethe.now_ms() + $4::bigint
WHERE prefix = $1 AND key = $2 AND version = $5 AND expires_at > lethe.now_ms()
RETURNING version`,
};

export async function createPostgresRecords(
  { prefix, run }: Pick<PostgresLink, "prefix" | "run">,
  { keys, purpose, maxRecordBytes: maxBytes = 1024 * 1024 }: PostgresRecordsOptions,
): Promise<PostgresRecords> {
  const cipher = await createMessageCipher(keys, { purpose, maxBytes, isTimeless: true });
  const nameOf = (key: string) => `${purpose} ${key}`;
  return {
    async read(key) {
      const [row] = await run<{ version: number; value: string }>(readRecord, [prefix, nameOf(key)]);
      // Bound to key and version, so that a writer of the database cannot restore an earlier record.
      const value = row && cipher.open(row.value, `${key} ${row.version}`);
      return row && value && { value, version: row.version };
    },
    async write(key, value, { version, ttlMs }) {
      const sealed = cipher.seal(value, `${key} ${version + 1}`);
      const values = [prefix, nameOf(key), sealed, Math.max(1, Math.ceil(ttlMs))];
      const rows = version === 0 ? await run(createRecord, values) : await run(replaceRecord, [...values, version]);
      return rows.length === 1;
    },
  };
}

// Small records that processes share, encrypted with the keys of the deployment. Each has a version, so that a process replaces only
// what it has read.
import type { JsonObject } from "@lethe/protocol";
import { createMessageCipher } from "@lethe/server/sealing";
import type { KeyRing } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript } from "../script/create-script.ts";

export interface RedisRecordsOptions {
  /** The keys of the deployment. Processes with other keys cannot read the records. */
  readonly keys: KeyRing;
  /** Separates the records of different uses. */
  readonly purpose: string;
  /** The size of a record as JSON, in bytes. Default 1 MiB. */
  readonly maxRecordBytes?: number;
}

/** The methods reject when Redis is unreachable. */
export interface RedisRecords {
  /** Undefined for a record that is unknown, has expired, or was sealed with other keys. */
  read(key: string): Promise<{ readonly value: JsonObject; readonly version: number } | undefined>;
  /**
   * Replaces the record that had `version`, or creates it with version 0. Returns false if another process was faster. The
   * record expires after `ttlMs`. Rejects with RangeError when it is too large.
   */
  write(key: string, value: JsonObject, options: { version: number; ttlMs: number }): Promise<boolean>;
}

/** KEYS: the record. ARGV: the version to replace, the sealed value, its expiry in ms. */
const writeText = `
if tonumber(redis.call('HGET', KEYS[1], 'version') or '0') ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'value', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

export async function createRedisRecords(connection: RedisLink, options: RedisRecordsOptions): Promise<RedisRecords> {
  const { keys, purpose, maxRecordBytes: maxBytes = 1024 * 1024 } = options;
  const cipher = await createMessageCipher(keys, { purpose, maxBytes, isTimeless: true });
  const write = createScript(connection, writeText);
  const nameOf = (key: string) => connection.nameOf(`${purpose}:${key}`);
  return {
    async read(key) {
      const reply = await connection.client.call("HMGET", nameOf(key), "version", "value");
      const [version, sealed] = reply as [string | null, string | null];
      // Bound to key and version, so that a writer of Redis cannot restore an earlier record.
      const value = version !== null && sealed !== null ? cipher.open(sealed, `${key} ${version}`) : undefined;
      return value && { value, version: Number(version) };
    },
    async write(key, value, { version, ttlMs }) {
      const sealed = cipher.seal(value, `${key} ${version + 1}`);
      return (await write([nameOf(key)], [version, sealed, Math.max(1, Math.ceil(ttlMs))])) === 1;
    },
  };
}

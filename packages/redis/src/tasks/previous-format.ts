// Reads tasks that a build before the append-only journal stored in Redis.
import { createMessageCipher, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { fromPreviousFormat, type StoredTask } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript } from "../script/create-script.ts";

/** ARGV: id. Returns the encrypted task, whether a worker of that build is alive, and the time. */
const find = `
local clock = redis.call("TIME")
local now = clock[1] .. string.format("%03d", math.floor(tonumber(clock[2]) / 1000))
local task = redis.call("HGET", KEYS[1] .. ":task:" .. ARGV[1], "d")
if not task then return {} end
return { task, redis.call("ZCOUNT", KEYS[1] .. ":workers", now, "+inf"), now }`;

/** ARGV: limit. That build gave its keys no time to live. */
const sweep = `
local clock = redis.call("TIME")
local now = clock[1] .. string.format("%03d", math.floor(tonumber(clock[2]) / 1000))
local base = KEYS[1]
for _, id in ipairs(redis.call("ZRANGEBYSCORE", base .. ":expiry", "-inf", now, "LIMIT", 0, ARGV[1])) do
  local owner = redis.call("HGET", base .. ":task:" .. id, "o")
  if owner and owner ~= "" then redis.call("UNLINK", base .. ":owner:" .. owner) end
  redis.call("UNLINK", base .. ":task:" .. id)
  redis.call("ZREM", base .. ":expiry", id)
end
if redis.call("EXISTS", base .. ":expiry") == 0 then
  for _, worker in ipairs(redis.call("ZRANGE", base .. ":workers", 0, -1)) do redis.call("UNLINK", base .. ":of:" .. worker) end
  redis.call("UNLINK", base .. ":workers")
end`;

/** Tasks deleted in one step, during which Redis serves nothing else. */
const sweepBatch = 200;

export interface PreviousTasks {
  /** Deletes expired tasks, some at a time. */
  sweep(): Promise<void>;
  /** Undefined for an unknown or expired task. */
  read(taskId: string): Promise<StoredTask | undefined>;
}

export async function createPreviousTasks(
  redis: Pick<RedisLink, "client" | "nameOf">,
  options: SharedKeys,
  maxBytes: number,
): Promise<PreviousTasks> {
  const cipher = await createMessageCipher(ringOf(options, "tasks"), { purpose: "tasks", maxBytes });
  const script = createScript(redis, find);
  const sweepScript = createScript(redis, sweep);
  const base = redis.nameOf("tasks");
  return {
    async sweep() {
      await sweepScript([base], [sweepBatch]);
    },
    async read(taskId) {
      const [text, living, now] = (await script([base], [taskId])) as [string?, number?, string?];
      const task = text === undefined ? undefined : cipher.open(text, taskId);
      if (!task || Number(task.createdAt) + Number(task.ttlMs) <= Number(now)) return undefined;
      return fromPreviousFormat(task, living !== undefined && living > 0);
    },
  };
}

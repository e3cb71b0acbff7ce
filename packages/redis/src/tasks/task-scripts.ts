// The Lua scripts of the task store; each runs as one atomic step. A task is a hash: `v` is its version, `d` the encrypted task, `o`
// its owner, and `w` its worker ("" for none; absent when no work is left). KEYS[1] is the prefix of all keys:
//   :task:ID    the task                       :owner:DIGEST  the number of an owner's tasks
//   :expiry     all tasks by expiry            :of:WORKER     the tasks of a worker, dead or alive
//   :workers    the time at which each worker counts as dead
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript, type Script } from "../script/create-script.ts";

const assign = `
local base = KEYS[1]
local function assign(id, was, is)
  if was == is then return end
  local task = base .. ":task:" .. id
  if was then redis.call("SREM", base .. ":of:" .. was, id) end
  if is then
    redis.call("SADD", base .. ":of:" .. is, id)
    redis.call("ZADD", base .. ":workers", "NX", 0, is)
    redis.call("HSET", task, "w", is)
  else
    redis.call("HDEL", task, "w")
  end
end`;

/** ARGV: id, task, expiry, whether it needs a worker, worker, owner, the limits on all tasks and on those of the owner. */
const create = `${assign}
local id, task, expiry, isWorking, worker, owner, maxTasks, maxOfOwner = unpack(ARGV)
local all = redis.call("ZCARD", base .. ":expiry")
local ofOwner = owner ~= "" and tonumber(redis.call("GET", base .. ":owner:" .. owner) or 0) or 0
if all >= tonumber(maxTasks) or ofOwner >= tonumber(maxOfOwner) then return { all, ofOwner } end
redis.call("HSET", base .. ":task:" .. id, "v", 1, "d", task, "o", owner)
redis.call("ZADD", base .. ":expiry", expiry, id)
if owner ~= "" then redis.call("INCR", base .. ":owner:" .. owner) end
assign(id, false, isWorking == "1" and worker)
return {}`;

/** ARGV: id, expected version, task, expiry, whether it needs a worker, worker. Returns 0 if the version differs. */
const replace = `${assign}
local id, version, task, expiry, isWorking, worker = unpack(ARGV)
local key = base .. ":task:" .. id
if redis.call("HGET", key, "v") ~= version then return 0 end
assign(id, redis.call("HGET", key, "w"), isWorking == "1" and worker)
redis.call("HSET", key, "v", version + 1, "d", task)
redis.call("ZADD", base .. ":expiry", expiry, id)
return 1`;

/** ARGV: worker, the time at which it counts as dead. */
const keepAlive = `
local base = KEYS[1]
local worker, untilWhen = unpack(ARGV)
if tonumber(untilWhen) == 0 and redis.call("SCARD", base .. ":of:" .. worker) == 0 then
  return redis.call("ZREM", base .. ":workers", worker)
end
return redis.call("ZADD", base .. ":workers", untilWhen, worker)`;

/** ARGV: now, limit. Returns the ids of tasks whose worker is dead. */
const abandoned = `
local base = KEYS[1]
local now, limit = ARGV[1], tonumber(ARGV[2])
local found = {}
for _, worker in ipairs(redis.call("ZRANGEBYSCORE", base .. ":workers", "-inf", now)) do
  if #found >= limit then break end
  for _, id in ipairs(redis.call("SRANDMEMBER", base .. ":of:" .. worker, limit - #found)) do found[#found + 1] = id end
end
return found`;

/** ARGV: now, limit. Returns the number of deleted tasks. */
const sweep = `
local base = KEYS[1]
local now, limit = ARGV[1], ARGV[2]
local over = redis.call("ZRANGEBYSCORE", base .. ":expiry", "-inf", now, "LIMIT", 0, limit)
for _, id in ipairs(over) do
  local key = base .. ":task:" .. id
  local worker, owner = unpack(redis.call("HMGET", key, "w", "o"))
  if worker then redis.call("SREM", base .. ":of:" .. worker, id) end
  if owner and owner ~= "" and redis.call("DECR", base .. ":owner:" .. owner) <= 0 then
    redis.call("DEL", base .. ":owner:" .. owner)
  end
  redis.call("UNLINK", key)
  redis.call("ZREM", base .. ":expiry", id)
end
for _, worker in ipairs(redis.call("ZRANGEBYSCORE", base .. ":workers", "-inf", now, "LIMIT", 0, limit)) do
  if redis.call("SCARD", base .. ":of:" .. worker) == 0 then redis.call("ZREM", base .. ":workers", worker) end
end
return #over`;

export interface TaskScripts {
  readonly create: Script;
  readonly replace: Script;
  readonly keepAlive: Script;
  readonly abandoned: Script;
  readonly sweep: Script;
}

export function createTaskScripts(redis: RedisConnection): TaskScripts {
  return {
    create: createScript(redis, create),
    replace: createScript(redis, replace),
    keepAlive: createScript(redis, keepAlive),
    abandoned: createScript(redis, abandoned),
    sweep: createScript(redis, sweep),
  };
}

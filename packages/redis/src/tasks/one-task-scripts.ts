// The Lua scripts that create, read and change one task.
import { lists, prelude, waiting, workers } from "./script-parts.ts";

/** ARGV: id, state, arguments, owner, ttl, lane, priority, worker, lease, the four limits, then the entries of the journal. */
export const create: string = `${prelude}${lists}${workers}
local id, state, work, owner, ttl, lane, priority, worker, leaseMs = unpack(ARGV, 1, 9)
local usage, isFull = {}, false
for index, name in ipairs({ ":live", ":live:" .. owner, ":ended", ":ended:" .. owner }) do
  if owner ~= "" or index % 2 == 1 then
    redis.call("ZREMRANGEBYSCORE", base .. name, "-inf", text(now))
    usage[index] = redis.call("ZCARD", base .. name)
  else
    usage[index] = 0
  end
  if usage[index] >= tonumber(ARGV[9 + index]) then isFull = true end
end
if isFull then return { 0, usage[1], usage[2], usage[3], usage[4] } end
ttl = tonumber(ttl)
local key, expiry = keyOf(id), now + ttl
redis.call("HSET", key, "s", state, "p", work, "v", 1, "o", owner, "l", lane, "r", priority, "c", text(now), "e", text(expiry),
  "w", worker, "f", 1, "n", 0, "d", 0)
redis.call("PEXPIRE", key, text(ttl + graceMs))
if #ARGV > 13 then
  for index = 14, #ARGV do redis.call("RPUSH", base .. ":j:" .. id, ARGV[index]) end
  redis.call("PEXPIRE", base .. ":j:" .. id, text(ttl + graceMs))
end
list("live", owner, id, expiry)
hear(worker, tonumber(leaseMs))
hold(id, worker, ttl + graceMs)
return { 1, now }`;

/** ARGV: id. Returns the state, the version, the creation, the hold and the time. */
export const load: string = `${prelude}
local found = redis.call("HMGET", keyOf(ARGV[1]), "s", "v", "c", "w", "f", "n", "d", "e")
if not found[1] or tonumber(found[8]) <= now then return {} end
found[8] = text(now)
return found`;

/**
 * ARGV: id, version, state, ttl, what becomes of the task, a delay or "" for an unchanged one, and the deaths. The task is "held" by its worker, "waiting" for one, "idle" or "ended".
 * Returns 0 if the version differs.
 */
export const replace: string = `${prelude}${lists}${waiting}
local id, version, state, ttl, becomes, delay, deaths = unpack(ARGV)
local key = keyOf(id)
local task = find(id)
if not task or redis.call("HGET", key, "v") ~= version then return 0 end
local expiry = tonumber(redis.call("HGET", key, "c")) + tonumber(ttl)
redis.call("HSET", key, "s", state, "e", text(expiry), "d", deaths)
redis.call("HINCRBY", key, "v", 1)
redis.call("PEXPIRE", key, text(expiry - now + graceMs))
redis.call("PEXPIRE", base .. ":j:" .. id, text(expiry - now + graceMs))
if becomes ~= "held" and task.worker then
  redis.call("SREM", base .. ":of:" .. task.worker, id)
  redis.call("HDEL", key, "w")
end
local kept, due = nil, nil
if task.since and delay == "" then
  kept, due = task.since, redis.call("ZSCORE", base .. ":delayed", id)
end
if task.since then leaveLane(id, task.lane) end
if becomes == "waiting" then
  wait(id, task.lane, task.priority, task.losses, due and tonumber(due) - now or tonumber(delay) or 0, kept)
end
if becomes == "idle" then redis.call("HSET", key, "n", 0) end
if becomes == "ended" then
  list("live", task.owner, id, nil)
  list("ended", task.owner, id, expiry)
  redis.call("HDEL", key, "p")
  redis.call("UNLINK", base .. ":j:" .. id)
else
  list(redis.call("HEXISTS", key, "p") == 1 and "live" or "ended", task.owner, id, expiry)
end
return 1`;

/** ARGV: id, fence, position, entries. Returns the length of the journal, or -1 without the right to write. */
export const append: string = `${prelude}
local id, fence, position = ARGV[1], ARGV[2], tonumber(ARGV[3])
local key, journal = keyOf(id), base .. ":j:" .. ARGV[1]
local task = redis.call("HMGET", key, "w", "f", "n", "e")
if not task[1] or task[2] ~= fence or tonumber(task[4]) <= now then return -1 end
local length = redis.call("LLEN", journal)
if length < position then return length end
for index = 4 + length - position, #ARGV do redis.call("RPUSH", journal, ARGV[index]) end
if length == 0 then redis.call("PEXPIRE", journal, redis.call("PTTL", key)) end
if task[3] ~= "0" then redis.call("HSET", key, "n", 0) end
return redis.call("LLEN", journal)`;

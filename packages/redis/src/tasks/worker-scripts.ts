// The Lua scripts by which workers acquire tasks, keep them, and leave.
import { prelude, waiting, workers } from "./script-parts.ts";

/** Puts the tasks of workers with an expired lease back into their lanes, and finds the task that caused the loss. */
const takeBack = `
local function delayOf(losses) return losses < suspectLosses and 0 or math.min(1000 * 2 ^ (losses - 2), 60000) end
local function culpritOf(tasks)
  for _, least in ipairs({ suspectLosses, 1, 0 }) do
    local count, only = 0, nil
    for _, task in ipairs(tasks) do
      if task.losses >= least then count, only = count + 1, task end
    end
    if count > 0 then return count == 1 and only or nil end
  end
end
local function takeBack(worker)
  local tasks = {}
  for _, id in ipairs(redis.call("SMEMBERS", base .. ":of:" .. worker)) do
    local task = find(id)
    if task then tasks[#tasks + 1] = task end
  end
  local culprit = culpritOf(tasks)
  for _, task in ipairs(tasks) do
    local losses, key = task.losses + 1, keyOf(task.id)
    redis.call("HDEL", key, "w")
    redis.call("HSET", key, "n", losses, "d", task.deaths + (task == culprit and 1 or 0))
    redis.call("HINCRBY", key, "v", 1)
    wait(task.id, task.lane, task.priority, losses, delayOf(losses))
  end
  redis.call("UNLINK", base .. ":of:" .. worker)
  redis.call("ZREM", base .. ":workers", worker)
end`;

/** ARGV: worker, lease, limit, whether one may be a suspect, one id or "", lanes. Returns the time, then the tasks with their content. */
export const acquire: string = `${prelude}${waiting}${workers}${takeBack}
local worker, leaseMs, limit, mayBeSuspect, only = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == "1", ARGV[5]
if now >= hear(worker, leaseMs) then
  for _, dead in ipairs(redis.call("ZRANGEBYSCORE", base .. ":workers", "-inf", text(now))) do takeBack(dead) end
end
for _, id in ipairs(redis.call("ZRANGEBYSCORE", base .. ":delayed", "-inf", text(now), "LIMIT", 0, 1000)) do
  redis.call("ZREM", base .. ":delayed", id)
  local task = find(id)
  if task and task.since then toLane(id, task.lane, task.priority, task.losses, task.since) end
end
local chosen = {}
local function choose(kind, most)
  local found = {}
  for index = 6, #ARGV do
    local lane = base .. kind .. ARGV[index]
    local members = redis.call("ZRANGE", lane, 0, most - 1, "WITHSCORES")
    for place = 1, #members, 2 do
      local task = find(members[place])
      if task and task.since then
        task.score = tonumber(members[place + 1])
        found[#found + 1] = task
      else
        redis.call("ZREM", lane, members[place])
      end
    end
  end
  table.sort(found, function(one, other)
    if one.score ~= other.score then return one.score < other.score end
    return one.id < other.id
  end)
  for index = 1, math.min(most, #found) do chosen[#chosen + 1] = found[index] end
end
if only ~= "" then
  local task = find(only)
  local isFree = task and task.since and not redis.call("ZSCORE", base .. ":delayed", only)
  if isFree and (mayBeSuspect or task.losses < suspectLosses) then chosen[1] = task end
else
  if mayBeSuspect then choose(":suspect:", 1) end
  if limit > #chosen then choose(":wait:", limit - #chosen) end
end
local result = { text(now) }
for _, task in ipairs(chosen) do
  local key = keyOf(task.id)
  leaveLane(task.id, task.lane)
  redis.call("HSET", key, "w", worker)
  redis.call("HINCRBY", key, "f", 1)
  redis.call("HINCRBY", key, "v", 1)
  hold(task.id, worker, redis.call("PTTL", key))
  local content = redis.call("HMGET", key, "s", "c", "w", "f", "n", "d", "e", "p")
  result[#result + 1] = { task.id, content, redis.call("LRANGE", base .. ":j:" .. task.id, 0, -1) }
end
return result`;

/** ARGV: worker, lease. Returns ids and fences in turn. */
export const renew: string = `${prelude}${waiting}${workers}
hear(ARGV[1], tonumber(ARGV[2]))
local held = {}
for _, id in ipairs(redis.call("SMEMBERS", base .. ":of:" .. ARGV[1])) do
  local task = find(id)
  if task then
    held[#held + 1] = id
    held[#held + 1] = task.fence
  else
    redis.call("SREM", base .. ":of:" .. ARGV[1], id)
  end
end
return held`;

/** ARGV: worker. */
export const retire: string = `${prelude}${waiting}
local mine = base .. ":of:" .. ARGV[1]
for _, id in ipairs(redis.call("SMEMBERS", mine)) do
  local task = find(id)
  if task then
    redis.call("HDEL", keyOf(id), "w")
    redis.call("HINCRBY", keyOf(id), "v", 1)
    wait(id, task.lane, task.priority, task.losses, 0)
  end
end
redis.call("UNLINK", mine)
redis.call("ZREM", base .. ":workers", ARGV[1])`;

// The Lua scripts of the task store; each runs as one atomic step and takes the time from Redis. KEYS[1] is the prefix of all keys:
//   :t:ID        a task, a hash: `s` its encrypted state, `p` its encrypted arguments, `v` its version, `o` the digest of its owner, `l` its
//                lane, `r` its priority, `c` its creation, `e` its expiry, `w` its worker, `f` its fence, `n` its losses, `d` its deaths,
//                and `q` since when it waits
//   :j:ID        its journal, a list of encrypted entries
//   :live, :ended, :live:DIGEST, :ended:DIGEST   all tasks and those of an owner, by expiry
//   :wait:LANE, :suspect:LANE                    tasks that may be acquired, by priority and time
//   :delayed, :waiting                           tasks that wait, by the end of their delay and by the time since when they wait, which is
//                                                in the future for a delayed task
//   :of:WORKER, :workers                         the tasks of a worker, and all workers by the end of their lease
//   :contact                                     `a`, when a worker was last heard of, and `q`, until when no task is put back
// Each key has a time to live, so that a server that is taken out leaves nothing.
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";

const prelude = `
local base = KEYS[1]
local clock = redis.call("TIME")
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local function text(number) return string.format("%.0f", number) end
local function keyOf(id) return base .. ":t:" .. id end
local function keep(key, ms)
  if redis.call("PTTL", key) < ms then redis.call("PEXPIRE", key, text(ms)) end
end`;

/** The owner's and the store's lists of live or ended tasks. */
const lists = `
local graceMs = 60000
local function list(kind, owner, id, expiry)
  local names = { base .. ":" .. kind }
  if owner ~= "" then names[2] = base .. ":" .. kind .. ":" .. owner end
  for _, name in ipairs(names) do
    if expiry then
      redis.call("ZADD", name, text(expiry), id)
      keep(name, expiry - now + graceMs)
    else
      redis.call("ZREM", name, id)
    end
  end
end`;

const waiting = `
local suspectLosses = 2
local function toLane(id, lane, priority, losses, since)
  local name = base .. (losses >= suspectLosses and ":suspect:" or ":wait:") .. lane
  redis.call("ZADD", name, text((9 - priority) * 1e13 + since), id)
  keep(name, redis.call("PTTL", keyOf(id)))
end
local function leaveLane(id, lane)
  for _, name in ipairs({ ":wait:" .. lane, ":suspect:" .. lane, ":delayed", ":waiting" }) do
    redis.call("ZREM", base .. name, id)
  end
  redis.call("HDEL", keyOf(id), "q")
end
local function wait(id, lane, priority, losses, delay, kept)
  local since = kept or now + delay
  local ttl = redis.call("PTTL", keyOf(id))
  redis.call("HSET", keyOf(id), "q", text(since))
  redis.call("ZADD", base .. ":waiting", text(since), id)
  keep(base .. ":waiting", ttl)
  if delay > 0 then
    redis.call("ZADD", base .. ":delayed", text(now + delay), id)
    keep(base .. ":delayed", ttl)
  else
    toLane(id, lane, priority, losses, since)
  end
end
local function find(id)
  local key = keyOf(id)
  local found = redis.call("HMGET", key, "l", "r", "n", "d", "e", "q", "w", "f", "o")
  if not found[1] or tonumber(found[5]) <= now then return nil end
  return {
    id = id, lane = found[1], priority = tonumber(found[2]), losses = tonumber(found[3]), deaths = tonumber(found[4]),
    expiry = tonumber(found[5]), since = found[6] and tonumber(found[6]), worker = found[7], fence = found[8], owner = found[9],
  }
end`;

const workers = `
local function hear(worker, leaseMs)
  local contact = base .. ":contact"
  local known = redis.call("HMGET", contact, "a", "q")
  local at, quiet = tonumber(known[1] or 0), tonumber(known[2] or 0)
  if now - at > leaseMs / 2 then
    quiet = now + leaseMs
    redis.call("HSET", contact, "q", text(quiet))
  end
  redis.call("HSET", contact, "a", text(now))
  keep(contact, leaseMs * 10)
  redis.call("ZADD", base .. ":workers", text(now + leaseMs), worker)
  keep(base .. ":workers", leaseMs * 10)
  return quiet
end
local function hold(id, worker, ttl)
  redis.call("SADD", base .. ":of:" .. worker, id)
  keep(base .. ":of:" .. worker, ttl)
  keep(base .. ":workers", ttl)
end`;

/** ARGV: id, state, arguments, owner, ttl, lane, priority, worker, lease, the four limits, then the entries of the journal. */
const create = `${prelude}${lists}${workers}
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
const load = `${prelude}
local found = redis.call("HMGET", keyOf(ARGV[1]), "s", "v", "c", "w", "f", "n", "d", "e")
if not found[1] or tonumber(found[8]) <= now then return {} end
found[8] = text(now)
return found`;

/**
 * ARGV: id, version, state, ttl, what becomes of the task, a delay or "" for an unchanged one, and the deaths. The task is "held" by its worker, "waiting" for one, "idle" or "ended".
 * Returns 0 if the version differs.
 */
const replace = `${prelude}${lists}${waiting}
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
const append = `${prelude}
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
const acquire = `${prelude}${waiting}${workers}${takeBack}
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
const renew = `${prelude}${waiting}${workers}
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
const retire = `${prelude}${waiting}
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

/** Returns the numbers of running and waiting tasks, the age of the oldest that waits, and the numbers of live and ended tasks. */
const count = `${prelude}
local running = 0
for _, worker in ipairs(redis.call("ZRANGE", base .. ":workers", 0, -1)) do
  running = running + redis.call("SCARD", base .. ":of:" .. worker)
end
local oldest = redis.call("ZRANGEBYSCORE", base .. ":waiting", "-inf", text(now), "WITHSCORES", "LIMIT", 0, 1)
return {
  running, redis.call("ZCOUNT", base .. ":waiting", "-inf", text(now)), oldest[2] and now - tonumber(oldest[2]) or 0,
  redis.call("ZCOUNT", base .. ":live", text(now), "+inf"), redis.call("ZCOUNT", base .. ":ended", text(now), "+inf"),
}`;

/** ARGV: limit. Returns the number of deleted tasks. */
const sweep = `${prelude}${lists}${waiting}
local deleted = 0
for _, kind in ipairs({ "live", "ended" }) do
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", base .. ":" .. kind, "-inf", text(now), "LIMIT", 0, ARGV[1])) do
    local found = redis.call("HMGET", keyOf(id), "o", "l", "w")
    list(kind, found[1] or "", id, nil)
    if found[2] then leaveLane(id, found[2]) end
    if found[3] then redis.call("SREM", base .. ":of:" .. found[3], id) end
    redis.call("ZREM", base .. ":waiting", id)
    redis.call("ZREM", base .. ":delayed", id)
    redis.call("UNLINK", keyOf(id), base .. ":j:" .. id)
    deleted = deleted + 1
  end
end
return deleted`;

export interface TaskScripts {
  readonly create: Script;
  readonly load: Script;
  readonly replace: Script;
  readonly append: Script;
  readonly acquire: Script;
  readonly renew: Script;
  readonly retire: Script;
  readonly count: Script;
  readonly sweep: Script;
}

export function createTaskScripts(redis: Pick<RedisLink, "client">): TaskScripts {
  return {
    create: createScript(redis, create),
    load: createScript(redis, load),
    replace: createScript(redis, replace),
    append: createScript(redis, append),
    acquire: createScript(redis, acquire),
    renew: createScript(redis, renew),
    retire: createScript(redis, retire),
    count: createScript(redis, count),
    sweep: createScript(redis, sweep),
  };
}

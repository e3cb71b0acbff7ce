// Lua that the scripts of the task store share: time and keys, the lists of tasks, the lanes of waiting tasks, and the workers.

export const prelude: string = `
local base = KEYS[1]
local clock = redis.call("TIME")
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local function text(number) return string.format("%.0f", number) end
local function keyOf(id) return base .. ":t:" .. id end
local function keep(key, ms)
  if redis.call("PTTL", key) < ms then redis.call("PEXPIRE", key, text(ms)) end
end`;

/** The owner's and the store's lists of live or ended tasks. */
export const lists: string = `
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

export const waiting: string = `
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

export const workers: string = `
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

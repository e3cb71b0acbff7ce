// The Lua scripts of single-use tokens (E-28); each runs as one atomic step. A sorted set per caller holds the ids of its answered
// states by expiry. A hash per round holds its inputs and its answer. An expiring key is the lease of the process that runs it.

/**
 * KEYS: the caller's set, the round, its lease. ARGV: the id, the time, the expiry of the state, the caller's limit, the process,
 * its lease in ms, the inputs. Returns the status of the round, its inputs and its answer.
 */
export const claimScript: string = `
local ttl = ARGV[3] - ARGV[2]
if redis.call("ZSCORE", KEYS[1], ARGV[1]) then
  local round = redis.call("HMGET", KEYS[2], "inputs", "answer")
  if not round[1] then return {"used"} end
  if round[2] then return {"answered", round[1], round[2]} end
  local process = redis.call("GET", KEYS[3])
  if not process then return {"lost", round[1]} end
  return {process == ARGV[5] and "own" or "running", round[1]}
end
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[2])
if redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[4]) then return {"full"} end
redis.call("ZADD", KEYS[1], ARGV[3], ARGV[1])
if redis.call("PTTL", KEYS[1]) < ttl then redis.call("PEXPIRE", KEYS[1], ttl) end
redis.call("HSET", KEYS[2], "inputs", ARGV[7])
redis.call("PEXPIRE", KEYS[2], ttl)
redis.call("SET", KEYS[3], ARGV[5], "PX", ARGV[6])
return {"claimed"}`;

/** KEYS: the round, its lease. ARGV: the answer, and its time to live in ms. */
export const settleScript: string = `
redis.call("DEL", KEYS[2])
if redis.call("EXISTS", KEYS[1]) == 0 then return end
redis.call("HSET", KEYS[1], "answer", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])`;

/** KEYS: the caller's set, the round, its lease. ARGV: the id. */
export const releaseScript: string = `
redis.call("ZREM", KEYS[1], ARGV[1])
redis.call("DEL", KEYS[2], KEYS[3])`;

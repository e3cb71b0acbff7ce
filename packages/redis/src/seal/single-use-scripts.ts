// The steps of single use (E-28) that Redis runs as one. Of each caller, a sorted set holds the ids of the answered states, by
// expiry; of each round, a hash holds its inputs and its answer, and a key that expires is the lease of the process that runs it.

/**
 * KEYS: the caller's set, the round, its lease. ARGV: the id, the time, when the state may be forgotten, the caller's most, the
 * process, its lease in ms, the inputs. Returns what is known of the round: the status, the inputs and the answer.
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

/** KEYS: the round, its lease. ARGV: the answer, and for how many ms it is remembered. */
export const settleScript: string = `
redis.call("DEL", KEYS[2])
if redis.call("EXISTS", KEYS[1]) == 0 then return end
redis.call("HSET", KEYS[1], "answer", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])`;

/** KEYS: the caller's set, the round, its lease. ARGV: the id. */
export const releaseScript: string = `
redis.call("ZREM", KEYS[1], ARGV[1])
redis.call("DEL", KEYS[2], KEYS[3])`;

// The Lua scripts by which replicas know each other and remove one that was killed; each runs as one atomic step.
// They begin with a write that needs no memory: a full Redis then accepts the others, too.

/**
 * Lists the other replicas: for each its id, the entry of its lease or "", its record or "", and the remaining time of its lease, in ms. The
 * first item says whether a replica of an earlier build, which is in no list, was seen in the last 15 seconds: it writes '1' to the shared
 * key, not '2'.
 * KEYS: the set of replicas, the record of the caller, the key that exists while any lease does, the trace of earlier builds.
 * ARGV: the caller, its entry, the key prefixes of leases and records, how long a record lasts, in ms, how many ids to list.
 */
export const listText: string = `
if redis.call('PEXPIRE', KEYS[2], ARGV[5]) == 0 then redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[5]) end
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then redis.call('SADD', KEYS[1], ARGV[1]) end
local earlier = redis.pcall('GET', KEYS[3]) == '1'
if earlier then
  redis.call('SET', KEYS[4], '1', 'PX', 15000)
  redis.call('SET', KEYS[3], '2', 'PX', math.max(redis.call('PTTL', KEYS[3]), 1))
end
local list = {(earlier or redis.call('EXISTS', KEYS[4]) == 1) and 1 or 0}
for _, id in ipairs(redis.call('SRANDMEMBER', KEYS[1], ARGV[6])) do
  if id ~= ARGV[1] then
    local entry = redis.pcall('GETRANGE', ARGV[3] .. id, 0, 1023)
    local record = redis.pcall('GETRANGE', ARGV[4] .. id, 0, 1023)
    if type(entry) ~= 'string' then entry = '' end
    if type(record) ~= 'string' then record = '' end
    if entry == '' and record == '' then redis.call('SREM', KEYS[1], id)
    else
      list[#list + 1] = id
      list[#list + 1] = entry
      list[#list + 1] = record
      list[#list + 1] = redis.call('PTTL', ARGV[3] .. id)
    end
  end
end
return list`;

/**
 * Removes a replica that stops: its lease, its record, and its mark of suspicion.
 * KEYS: the lease, the record, the mark, the set of replicas. ARGV: the replica.
 */
export const leaveText: string = `
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return redis.call('SREM', KEYS[4], ARGV[1])`;

/**
 * Marks a replica as suspect, unless it is. Returns its lease entry and the mark; or 0 if it has no lease, or is of an earlier
 * build, which removes no marks. KEYS: its lease, its mark. ARGV: a new mark, how long it lasts in ms.
 */
export const suspectText: string = `
local entry = redis.pcall('GETRANGE', KEYS[1], 0, 1023)
if type(entry) ~= 'string' or not string.find(entry, ',valid:', 1, true) then return 0 end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
local mark = redis.call('GET', KEYS[2])
if not mark then
  mark = ARGV[1]
  redis.call('SET', KEYS[2], mark, 'PX', ARGV[2])
end
return {entry, mark}`;

/** Deletes the lease of a replica that still has the mark. Returns 1 if it did. KEYS: its lease, its mark. ARGV: the mark. */
export const revokeText: string = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1], KEYS[2]) > 0 and 1 or 0`;

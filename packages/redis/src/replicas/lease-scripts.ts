// What Redis does in one step to keep leases and claims. ARGV of those that look at another replica's lease: who asks, what
// stands before the name of a replica in the key of its lease, and how long a claim lasts, in ms.

/**
 * 1 when the lease was still running. Where nobody's was, Redis was away from all of them: a replica that is not new makes a
 * quiet time then, in which the others come back.
 */
export const renewText: string = `
local was = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[1])
if ARGV[2] ~= '0' then
  if was == 0 and redis.call('EXISTS', KEYS[2]) == 0 then redis.call('SET', KEYS[3], '1', 'PX', ARGV[2]) end
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[1])
end
return was`;

/**
 * The keeper, and the marks of its keys where it is another one; or how long to wait, in ms; or -1 for one whose own lease is not
 * running. Whoever else writes in Redis may have put anything there: what is no name is nobody's.
 */
export const claimText: string = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local owner = redis.pcall('GETRANGE', KEYS[3], 0, 63)
if type(owner) == 'string' and owner ~= '' and owner ~= ARGV[1] then
  local marks = redis.pcall('GETRANGE', ARGV[2] .. owner, 0, 1023)
  if type(marks) == 'string' and marks ~= '' then return {owner, marks} end
end
if owner ~= ARGV[1] then
  local quiet = redis.call('PTTL', KEYS[2])
  if quiet > 0 then return quiet end
end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[3])
return {ARGV[1]}`;

/** Says again what this replica keeps, and returns what has another keeper meanwhile, by position. */
export const holdText: string = `
local lost = {}
for index, key in ipairs(KEYS) do
  local owner = redis.pcall('GETRANGE', key, 0, 63)
  if type(owner) == 'string' and owner ~= ARGV[1] and redis.call('EXISTS', ARGV[2] .. owner) == 1 then lost[#lost + 1] = index - 1
  else redis.call('SET', key, ARGV[1], 'PX', ARGV[3]) end
end
return lost`;

export const releaseText: string = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

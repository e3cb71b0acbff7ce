// The Lua scripts behind leases and session ownership; each runs as one atomic step. Scripts that read another replica's lease
// take ARGV: the id of the calling replica, the key prefix of leases, and how long ownership lasts, in ms.

/**
 * Renews a lease and returns 1 if it was still running. If no lease at all was running, Redis was unreachable for every replica:
 * a replica that is not new then starts a quiet period, in which the others can renew theirs.
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
 * Acquires a session. Returns its owner, with the key fingerprints of another owner; the rest of the quiet period in ms; or -1
 * when the caller's own lease has expired. A value that is not the id of a living replica counts as no owner.
 */
export const acquireText: string = `
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local owner = redis.pcall('GETRANGE', KEYS[3], 0, 63)
if type(owner) == 'string' and owner ~= '' and owner ~= ARGV[1] then
  local fingerprints = redis.pcall('GETRANGE', ARGV[2] .. owner, 0, 1023)
  if type(fingerprints) == 'string' and fingerprints ~= '' then return {owner, fingerprints} end
end
if owner ~= ARGV[1] then
  local quiet = redis.call('PTTL', KEYS[2])
  if quiet > 0 then return quiet end
end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[3])
return {ARGV[1]}`;

/** Renews the ownership of several sessions, and returns the positions of those that another replica owns now. */
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

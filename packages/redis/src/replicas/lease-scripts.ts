// The Lua scripts behind leases and session ownership; each runs as one atomic step. A full Redis rejects the first write of a
// script if it needs memory, and accepts all writes after one that does not. So leases and sessions that exist are never lost for
// lack of memory, and only new sessions are rejected. Each script of an owner that finds its lease also removes the mark of suspicion.

/**
 * Renews a lease. Returns 1 if it was running, 2 if it was not, and 0 if no lease of any replica was running.
 * KEYS: the lease, the key that exists while any lease does, the quiet period, the mark of suspicion.
 * ARGV: the entry, the length of the lease, the quiet period to start after an outage of all replicas (0 when this is
 * the first renewal), in ms, and 1 unless the caller has just started.
 */
export const renewText: string = `
redis.call('DEL', KEYS[4])
local was = redis.call('GET', KEYS[1])
local result = 1
if was == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
if not was then
  result = 2
  if redis.call('EXISTS', KEYS[2]) == 0 then
    result = 0
    if ARGV[3] ~= '0' then redis.call('SET', KEYS[3], '1', 'PX', ARGV[3]) end
  end
end
if ARGV[4] == '1' and redis.call('PEXPIRE', KEYS[2], ARGV[2]) == 0 then redis.call('SET', KEYS[2], '2', 'PX', ARGV[2]) end
return result`;

/**
 * The record of a session whose state is lost although Redis does not know its owner: no replica has this id, so the next owner hears
 * of a former one. It excludes nothing: a replica that stayed valid replaces it.
 */
const lostPrefix = "lost:";
const isLost = `string.sub(owner, 1, ${lostPrefix.length}) == '${lostPrefix}'`;

/**
 * Acquires a session. Returns its owner, with the lease entry of another one, the former owner if the session had one that is gone, and the
 * remaining time of the lease of another owner, in ms; no owner if the caller lost the session to a former owner that is gone; for how many ms
 * no replica may acquire the session; -1 when the caller's own lease has expired; or -2 if it wants to keep a session of which there is no
 * record. A value that is not the id of a replica counts as no owner.
 * KEYS: the lease of the caller, its mark of suspicion, the quiet period, the session.
 * ARGV: the caller, the key prefix of leases, the length of the lease, how long an owner is remembered, in ms, and what the caller
 * may do: "keep" the session if it still owns it, "take" a free one, or only "look", also without a lease.
 */
export const acquireText: string = `
if ARGV[5] ~= 'look' and redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
local function renew()
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('DEL', KEYS[2])
end
local owner = redis.pcall('GETRANGE', KEYS[4], 0, 63)
if type(owner) ~= 'string' then owner = '' end
if owner == ARGV[1] then
  if ARGV[5] ~= 'look' then renew() end
  redis.call('PEXPIRE', KEYS[4], ARGV[4])
  return {owner, '', ''}
end
if owner ~= '' then
  local entry = redis.pcall('GETRANGE', ARGV[2] .. owner, 0, 1023)
  if type(entry) == 'string' and entry ~= '' then return {owner, entry, '', redis.call('PTTL', ARGV[2] .. owner)} end
  if ARGV[5] == 'keep' and not (${isLost}) then return {'', '', owner} end
end
if ARGV[5] == 'keep' then return -2 end
local quiet = redis.call('PTTL', KEYS[3])
if quiet > 0 then return quiet end
if ARGV[5] ~= 'take' then return 0 end
redis.call('SET', KEYS[4], ARGV[1], 'PX', ARGV[4])
renew()
return {ARGV[1], '', owner}`;

/**
 * Renews the ownership of several sessions. Returns 0 if the caller's lease has expired, and otherwise for each session 1 if the
 * caller owns it and 0 if another replica has, or may have, acquired it. If there is no record of such a session, its next owner hears that
 * it was lost.
 * KEYS: the lease of the caller, its mark of suspicion, the sessions. ARGV: the caller, the length of the lease, how long an owner
 * is remembered, in ms, and 1 if no other replica can have acquired a session of which there is no record.
 */
export const holdText: string = `
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('DEL', KEYS[2])
local owned = {}
for index = 3, #KEYS do
  local owner = redis.pcall('GETRANGE', KEYS[index], 0, 63)
  if owner == ARGV[1] then redis.call('PEXPIRE', KEYS[index], ARGV[3]) end
  if type(owner) ~= 'string' then owner = '' end
  local isFree = ARGV[4] == '1' and (owner == '' or ${isLost})
  if isFree then redis.call('SET', KEYS[index], ARGV[1], 'PX', ARGV[3])
  elseif owner == '' then redis.call('SET', KEYS[index], '${lostPrefix}' .. ARGV[1], 'PX', ARGV[3]) end
  owned[#owned + 1] = (isFree or owner == ARGV[1]) and 1 or 0
end
return owned`;

/**
 * Records that sessions of the caller are lost, for their next owners. KEYS: the sessions. ARGV: the caller, and how long that is
 * remembered, in ms.
 */
export const abandonText: string = `
for index = 1, #KEYS do
  local owner = redis.pcall('GETRANGE', KEYS[index], 0, 63)
  if type(owner) ~= 'string' or owner == '' or owner == ARGV[1] then
    redis.call('SET', KEYS[index], '${lostPrefix}' .. ARGV[1], 'PX', ARGV[2])
  end
end
return 1`;

export const releaseText: string = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

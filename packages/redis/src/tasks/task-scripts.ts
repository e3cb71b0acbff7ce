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
import { append, create, load, replace } from "./one-task-scripts.ts";
import { lists, prelude, waiting } from "./script-parts.ts";
import { acquire, renew, retire } from "./worker-scripts.ts";

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

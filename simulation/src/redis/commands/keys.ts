// Commands for keys of any type.
import { okReply, type Reply } from "../reply.ts";
import { type Command, type CommandContext, reading, shrinking, toInteger } from "./command.ts";

function countOf(keys: readonly string[], isCounted: (key: string) => boolean): number {
  return keys.filter(isCounted).length;
}

function remove({ keyspace }: CommandContext, keys: readonly string[]): Reply {
  return countOf(keys, (key) => keyspace.delete(key));
}

function expireBy(unitMs: number): Command["run"] {
  return ({ keyspace }, [key = "", time]) => (keyspace.expire(key, toInteger(time) * unitMs) ? 1 : 0);
}

export const keyCommands: Record<string, Command> = {
  EXISTS: reading(1, ({ keyspace }, keys) => countOf(keys, (key) => keyspace.has(key))),
  TYPE: reading(1, ({ keyspace }, [key = ""]) => ({ ok: keyspace.typeOf(key) })),
  DEL: shrinking(1, remove),
  UNLINK: shrinking(1, remove),
  PTTL: reading(1, ({ keyspace }, [key = ""]) => {
    const ms = keyspace.ttl(key);
    return ms < 0 ? ms : Math.max(Math.round(ms), 0);
  }),
  TTL: reading(1, ({ keyspace }, [key = ""]) => {
    const ms = keyspace.ttl(key);
    return ms < 0 ? ms : Math.floor((ms + 500) / 1_000);
  }),
  PEXPIRE: shrinking(2, expireBy(1)),
  EXPIRE: shrinking(2, expireBy(1_000)),
  PERSIST: shrinking(1, ({ keyspace }, [key = ""]) => (keyspace.persist(key) ? 1 : 0)),
  KEYS: reading(1, ({ keyspace }, [pattern = "*"]) => {
    const begin = pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
    return keyspace.keys().filter((key) => (begin === undefined ? key === pattern : key.startsWith(begin)));
  }),
  FLUSHALL: shrinking(0, ({ keyspace }) => {
    for (const key of keyspace.keys()) keyspace.delete(key);
    return okReply;
  }),
};

// Commands for hashes.
import { type Reply, ReplyError } from "../reply.ts";
import { type Command, type CommandContext, growing, reading, shrinking, toInteger } from "./command.ts";

function hashAt({ keyspace }: CommandContext, key: string): Map<string, string> {
  const found = keyspace.hash(key);
  if (found) return found;
  const made = new Map<string, string>();
  keyspace.put(key, made);
  return made;
}

function setFields(context: CommandContext, [key = "", ...pairs]: readonly string[]): Reply {
  if (pairs.length % 2 !== 0) throw new ReplyError("ERR wrong number of arguments for 'hset' command");
  const hash = hashAt(context, key);
  const before = hash.size;
  for (let index = 0; index < pairs.length; index += 2) hash.set(pairs[index] as string, pairs[index + 1] as string);
  return hash.size - before;
}

function deleteFields({ keyspace }: CommandContext, [key = "", ...fields]: readonly string[]): Reply {
  const hash = keyspace.hash(key);
  if (!hash) return 0;
  const count = fields.filter((field) => hash.delete(field)).length;
  keyspace.tidy(key, hash.size);
  return count;
}

function addToField(context: CommandContext, [key = "", field = "", by]: readonly string[]): Reply {
  const amount = toInteger(by);
  const before = context.keyspace.hash(key)?.get(field) ?? "0";
  if (!/^-?\d{1,16}$/.test(before)) throw new ReplyError("ERR hash value is not an integer");
  const after = Number(before) + amount;
  hashAt(context, key).set(field, String(after));
  return after;
}

export const hashCommands: Record<string, Command> = {
  HSET: growing(3, setFields),
  HSETNX: growing(3, (context, [key = "", field = "", value = ""]) => {
    if (context.keyspace.hash(key)?.has(field)) return 0;
    hashAt(context, key).set(field, value);
    return 1;
  }),
  HGET: reading(2, ({ keyspace }, [key = "", field = ""]) => keyspace.hash(key)?.get(field) ?? null),
  HMGET: reading(2, ({ keyspace }, [key = "", ...fields]) => {
    const hash = keyspace.hash(key);
    return fields.map((field) => hash?.get(field) ?? null);
  }),
  HGETALL: reading(1, ({ keyspace }, [key = ""]) => [...(keyspace.hash(key) ?? [])].flat()),
  HEXISTS: reading(2, ({ keyspace }, [key = "", field = ""]) => (keyspace.hash(key)?.has(field) ? 1 : 0)),
  HLEN: reading(1, ({ keyspace }, [key = ""]) => keyspace.hash(key)?.size ?? 0),
  HDEL: shrinking(2, deleteFields),
  HINCRBY: growing(3, addToField),
};

// Commands for lists.
import { okReply, type Reply } from "../reply.ts";
import { type Command, type CommandContext, growing, reading, shrinking, sliceOf, toInteger } from "./command.ts";

function push({ keyspace }: CommandContext, [key = "", ...items]: readonly string[]): Reply {
  const list = keyspace.list(key) ?? [];
  list.push(...items);
  keyspace.put(key, list);
  return list.length;
}

export const listCommands: Record<string, Command> = {
  RPUSH: growing(2, push),
  LLEN: reading(1, ({ keyspace }, [key = ""]) => keyspace.list(key)?.length ?? 0),
  LRANGE: reading(3, ({ keyspace }, [key = "", first, last]) => {
    const [from, to] = [toInteger(first), toInteger(last)];
    return sliceOf(keyspace.list(key) ?? [], from, to);
  }),
  LINDEX: reading(2, ({ keyspace }, [key = "", position]) => {
    return keyspace.list(key)?.at(toInteger(position)) ?? null;
  }),
  LTRIM: shrinking(3, ({ keyspace }, [key = "", first, last]) => {
    const [from, to] = [toInteger(first), toInteger(last)];
    const list = keyspace.list(key);
    if (list) {
      const rest = sliceOf(list, from, to);
      keyspace.put(key, rest);
      keyspace.tidy(key, rest.length);
    }
    return okReply;
  }),
};

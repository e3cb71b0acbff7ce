// Commands for strings.
import { notInteger, okReply, type Reply, ReplyError, syntaxError } from "../reply.ts";
import { type Command, type CommandContext, growing, reading, toInteger } from "./command.ts";

interface SetOptions {
  expiryMs?: number;
  only?: "NX" | "XX";
  keepsTtl?: boolean;
  returnsOld?: boolean;
}

function parseSetOptions(words: readonly string[]): SetOptions {
  const options: SetOptions = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = (words[index] as string).toUpperCase();
    if (word === "PX" || word === "EX") {
      index += 1;
      options.expiryMs = toInteger(words[index]) * (word === "EX" ? 1_000 : 1);
      if (options.expiryMs <= 0) throw new ReplyError("ERR invalid expire time in 'set' command");
    } else if (word === "NX" || word === "XX") options.only = word;
    else if (word === "KEEPTTL") options.keepsTtl = true;
    else if (word === "GET") options.returnsOld = true;
    else throw new ReplyError(syntaxError);
  }
  return options;
}

function set({ keyspace }: CommandContext, [key = "", value = "", ...words]: readonly string[]): Reply {
  const { expiryMs, only, keepsTtl, returnsOld } = parseSetOptions(words);
  const old = returnsOld ? (keyspace.string(key) ?? null) : null;
  const mayWrite = only === undefined || keyspace.has(key) === (only === "XX");
  if (mayWrite) {
    if (keepsTtl) keyspace.put(key, value);
    else keyspace.replace(key, value);
    if (expiryMs !== undefined) keyspace.expire(key, expiryMs);
  }
  if (returnsOld) return old;
  return mayWrite ? okReply : null;
}

function addTo(key: string, { keyspace }: CommandContext, by: number): Reply {
  const before = keyspace.string(key) ?? "0";
  if (!/^-?\d{1,16}$/.test(before)) throw new ReplyError(notInteger);
  const after = Number(before) + by;
  keyspace.put(key, String(after));
  return after;
}

export const stringCommands: Record<string, Command> = {
  GET: reading(1, ({ keyspace }, [key = ""]) => keyspace.string(key) ?? null),
  SET: growing(2, set),
  STRLEN: reading(1, ({ keyspace }, [key = ""]) => (keyspace.string(key) ?? "").length),
  GETRANGE: reading(3, ({ keyspace }, [key = "", first, last]) => {
    const value = keyspace.string(key) ?? "";
    const [from, to] = [toInteger(first), toInteger(last)];
    if (from < 0 && to < 0 && from > to) return "";
    // Unlike in a list, an end before the beginning is the first character.
    return value.slice(
      from < 0 ? Math.max(value.length + from, 0) : from,
      Math.max(to < 0 ? value.length + to : to, 0) + 1,
    );
  }),
  MGET: reading(1, ({ keyspace }, keys) =>
    keys.map((key) => (keyspace.typeOf(key) === "string" ? (keyspace.string(key) ?? null) : null)),
  ),
  INCR: growing(1, (context, [key = ""]) => addTo(key, context, 1)),
  DECR: growing(1, (context, [key = ""]) => addTo(key, context, -1)),
  INCRBY: growing(2, (context, [key = "", by]) => addTo(key, context, toInteger(by))),
};

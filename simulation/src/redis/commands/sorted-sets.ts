// Commands for sorted sets.
import { SortedSet } from "../keyspace.ts";
import { type Reply, ReplyError, syntaxError } from "../reply.ts";
import {
  type Command,
  type CommandContext,
  formatFloat,
  growing,
  reading,
  requirePair,
  shrinking,
  sliceOf,
  toFloat,
  toInteger,
} from "./command.ts";

type Scored = readonly [member: string, score: number];

/** Members in the order of their scores, equal ones in the order of their bytes. */
function inOrder(set: SortedSet | undefined): Scored[] {
  return [...(set ?? [])].sort(([one, score], [other, otherScore]) => {
    if (score !== otherScore) return score < otherScore ? -1 : 1;
    return one < other ? -1 : 1;
  });
}

function add({ keyspace }: CommandContext, [key = "", ...rest]: readonly string[]): Reply {
  const flags = new Set<string>();
  let start = 0;
  for (; /^(?:NX|XX|GT|LT|CH)$/i.test(rest[start] ?? ""); start += 1) flags.add((rest[start] as string).toUpperCase());
  const pairs = rest.slice(start);
  requirePair(pairs.length);
  if (pairs.length === 0) throw new ReplyError(syntaxError);
  const scores: [string, number][] = [];
  for (let index = 0; index < pairs.length; index += 2)
    scores.push([pairs[index + 1] as string, toFloat(pairs[index])]);
  const set = keyspace.sortedSet(key) ?? new SortedSet();
  let added = 0;
  let changed = 0;
  for (const [member, score] of scores) {
    const before = set.get(member);
    if (before === undefined) {
      if (flags.has("XX")) continue;
      added += 1;
    } else {
      if (flags.has("NX") || (flags.has("GT") && score <= before) || (flags.has("LT") && score >= before)) continue;
      if (score !== before) changed += 1;
    }
    set.set(member, score);
  }
  if (set.size > 0) keyspace.put(key, set);
  return flags.has("CH") ? added + changed : added;
}

function remove({ keyspace }: CommandContext, [key = "", ...members]: readonly string[]): Reply {
  const set = keyspace.sortedSet(key);
  if (!set) return 0;
  const count = members.filter((member) => set.delete(member)).length;
  keyspace.tidy(key, set.size);
  return count;
}

function rangeTest(low: string | undefined, high: string | undefined): (score: number) => boolean {
  const [from, isFromExcluded] = toBound(low);
  const [to, isToExcluded] = toBound(high);
  return (score) => (isFromExcluded ? score > from : score >= from) && (isToExcluded ? score < to : score <= to);
}

function toBound(text = ""): [number, boolean] {
  const isExcluded = text.startsWith("(");
  try {
    return [toFloat(isExcluded ? text.slice(1) : text), isExcluded];
  } catch {
    throw new ReplyError("ERR min or max is not a float");
  }
}

function rangeByScore({ keyspace }: CommandContext, [key = "", low, high, ...words]: readonly string[]): Reply {
  const isIn = rangeTest(low, high);
  let hasScores = false;
  let [offset, count] = [0, -1];
  for (let index = 0; index < words.length; index += 1) {
    const word = (words[index] as string).toUpperCase();
    if (word === "WITHSCORES") hasScores = true;
    else if (word === "LIMIT") {
      offset = toInteger(words[index + 1]);
      count = toInteger(words[index + 2]);
      index += 2;
    } else throw new ReplyError(syntaxError);
  }
  const found = inOrder(keyspace.sortedSet(key)).filter(([, score]) => isIn(score));
  const chosen = offset < 0 ? [] : found.slice(offset, count < 0 ? undefined : offset + count);
  return toReply(chosen, hasScores);
}

function range({ keyspace }: CommandContext, [key = "", first, last, word]: readonly string[]): Reply {
  const [from, to] = [toInteger(first), toInteger(last)];
  if (word !== undefined && word.toUpperCase() !== "WITHSCORES") throw new ReplyError(syntaxError);
  return toReply(sliceOf(inOrder(keyspace.sortedSet(key)), from, to), word !== undefined);
}

function toReply(found: readonly Scored[], hasScores: boolean): Reply {
  return found.flatMap(([member, score]) => (hasScores ? [member, formatFloat(score)] : [member]));
}

function removeByScore({ keyspace }: CommandContext, [key = "", low, high]: readonly string[]): Reply {
  const isIn = rangeTest(low, high);
  const set = keyspace.sortedSet(key);
  if (!set) return 0;
  const found = [...set].filter(([, score]) => isIn(score));
  for (const [member] of found) set.delete(member);
  keyspace.tidy(key, set.size);
  return found.length;
}

export const sortedSetCommands: Record<string, Command> = {
  ZADD: growing(3, add),
  ZREM: shrinking(2, remove),
  ZCARD: reading(1, ({ keyspace }, [key = ""]) => keyspace.sortedSet(key)?.size ?? 0),
  ZSCORE: reading(2, ({ keyspace }, [key = "", member = ""]) => {
    const score = keyspace.sortedSet(key)?.get(member);
    return score === undefined ? null : formatFloat(score);
  }),
  ZCOUNT: reading(3, ({ keyspace }, [key = "", low, high]) => {
    const isIn = rangeTest(low, high);
    return [...(keyspace.sortedSet(key)?.values() ?? [])].filter(isIn).length;
  }),
  ZRANGE: reading(3, range),
  ZRANGEBYSCORE: reading(3, rangeByScore),
  ZREMRANGEBYSCORE: shrinking(3, removeByScore),
};

// Commands for sets.
import type { Reply } from "../reply.ts";
import { type Command, type CommandContext, growing, reading, shrinking, toInteger } from "./command.ts";

function add({ keyspace }: CommandContext, [key = "", ...members]: readonly string[]): Reply {
  const set = keyspace.set(key) ?? new Set<string>();
  keyspace.put(key, set);
  const before = set.size;
  for (const member of members) set.add(member);
  return set.size - before;
}

function remove({ keyspace }: CommandContext, [key = "", ...members]: readonly string[]): Reply {
  const set = keyspace.set(key);
  if (!set) return 0;
  const count = members.filter((member) => set.delete(member)).length;
  keyspace.tidy(key, set.size);
  return count;
}

/** With a positive count different members, with a negative one any. */
function randomMembers({ keyspace, random }: CommandContext, [key = "", wanted]: readonly string[]): Reply {
  const members = [...(keyspace.set(key) ?? [])];
  const draw = (): number => Math.floor(random() * members.length);
  if (wanted === undefined) return members[draw()] ?? null;
  const count = toInteger(wanted);
  if (members.length === 0) return [];
  if (count < 0) return Array.from({ length: -count }, () => members[draw()] as string);
  const drawn: string[] = [];
  while (drawn.length < count && members.length > 0) drawn.push(...members.splice(draw(), 1));
  return drawn;
}

export const setCommands: Record<string, Command> = {
  SADD: growing(2, add),
  SREM: shrinking(2, remove),
  SCARD: reading(1, ({ keyspace }, [key = ""]) => keyspace.set(key)?.size ?? 0),
  SISMEMBER: reading(2, ({ keyspace }, [key = "", member = ""]) => (keyspace.set(key)?.has(member) ? 1 : 0)),
  SMEMBERS: reading(1, ({ keyspace }, [key = ""]) => [...(keyspace.set(key) ?? [])]),
  SRANDMEMBER: reading(1, randomMembers),
};

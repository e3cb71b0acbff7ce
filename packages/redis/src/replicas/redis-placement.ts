// The notes by which replicas tell each other how much room they have for new sessions. Nothing is sent before a gateway exchanges its
// first note, and ownership does not depend on notes: a wrong or old one makes a session open at another replica, and no more.
import type { Placement } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";

export interface RedisPlacementOptions {
  readonly connection: RedisLink;
  readonly self: string;
  /** The name of a session's key in Redis. */
  nameOf(key: string): string;
  /** Whether this replica remembers an owner of the session, or owns it. */
  isKnown(key: string): boolean;
}

/**
 * Records a note, and returns the ids and notes of other replicas. It needs memory first, so that a full Redis rejects it.
 * KEYS: the note of the caller, the set of replicas. ARGV: the note, how long it lasts, in ms, how many replicas to read, the caller, the
 * key prefix of notes.
 */
const exchangeText = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local ids, names = {}, {}
for _, id in ipairs(redis.call('SRANDMEMBER', KEYS[2], ARGV[3])) do
  if id ~= ARGV[4] then
    ids[#ids + 1] = id
    names[#names + 1] = ARGV[5] .. id
  end
end
if #ids == 0 then return {} end
local list = {}
for index, note in ipairs(redis.call('MGET', unpack(names))) do
  if note then
    list[#list + 1] = ids[index]
    list[#list + 1] = note
  end
end
return list`;

/** Returns 1 if a replica with a lease owns the session. KEYS: the session. ARGV: the key prefix of leases. */
const isOwnedText = `
local owner = redis.pcall('GETRANGE', KEYS[1], 0, 63)
if type(owner) ~= 'string' or owner == '' then return 0 end
return redis.call('EXISTS', ARGV[1] .. owner)`;

export class RedisPlacement implements Placement {
  readonly #options: RedisPlacementOptions;
  readonly #exchange: Script;
  readonly #isOwned: Script;

  constructor(options: RedisPlacementOptions) {
    this.#options = options;
    this.#exchange = createScript(options.connection, exchangeText);
    this.#isOwned = createScript(options.connection, isOwnedText);
  }

  async exchange(
    note: string,
    { ttlMs, max }: { readonly ttlMs: number; readonly max: number },
  ): Promise<ReadonlyMap<string, string>> {
    const { connection, self } = this.#options;
    const prefix = connection.nameOf("room:");
    // The set of replicas contains the caller.
    const args = [note, ttlMs, max + 1, self, prefix];
    const reply = (await this.#exchange([`${prefix}${self}`, connection.nameOf("replicas")], args)) as string[];
    const notes = new Map<string, string>();
    for (let index = 0; index + 1 < reply.length && notes.size < max; index += 2) {
      notes.set(reply[index] as string, reply[index + 1] as string);
    }
    return notes;
  }

  async isOwned(key: string): Promise<boolean> {
    const { connection, nameOf, isKnown } = this.#options;
    if (isKnown(key)) return true;
    return (await this.#isOwned([nameOf(key)], [connection.nameOf("lease:")])) === 1;
  }
}

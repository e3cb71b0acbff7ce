// Follows one event stream until it ends or the process that writes it dies.
import { type FollowedReads, followReads } from "@lethe/server/forwarding";
import type { Following } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";

export interface FollowedStream extends Omit<FollowedReads, "read" | "subscribe"> {
  readonly redis: RedisConnection;
  /** The channel of the stream; its key has the same name. */
  readonly channel: string;
  /** The heartbeat key of the process with this address. */
  aliveKeyOf(address: string): string;
}

/** KEYS: the stream. ARGV: the last known entry. Returns the entries after it, and the newest entry. */
const readScript = `
return {
  redis.call("XRANGE", KEYS[1], ARGV[1], "+"),
  redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1),
}`;

type Entry = [id: string, fields: string[]];

/** Resolves with undefined when the stream is unknown or its writer is dead. Rejects when Redis is away. */
export function followStream(stream: FollowedStream): Promise<Following | undefined> {
  const { redis, channel, aliveKeyOf, ...followed } = stream;
  const key = redis.nameOf(channel);
  const readAfter = createScript(redis, readScript);
  return followReads({
    ...followed,
    async read(after, deliver) {
      const [fresh, [newest]] = (await readAfter([key], [`(${after}-1`])) as [Entry[], [Entry?]];
      for (const [id, fields] of fresh) deliver(Number.parseInt(id, 10), fieldOf(fields, "d"));
      if (!newest) return "lost";
      if (fieldOf(newest[1], "e") !== undefined) return "ended";
      const isAlive = await redis.client.exists(redis.nameOf(aliveKeyOf(fieldOf(newest[1], "o") ?? "")));
      return isAlive ? "growing" : "lost";
    },
    subscribe: (onChange) => redis.subscribe(channel, onChange),
  });
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  const index = fields.indexOf(name);
  return index < 0 || index % 2 > 0 ? undefined : fields[index + 1];
}

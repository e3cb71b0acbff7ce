// A Lua script that Redis runs atomically. Its text is sent once; later calls send its digest.
import { createHash } from "node:crypto";
import type { RedisLink } from "../connection/redis-link.ts";

/** Runs the script with `keys` by their full names. Rejects when Redis is away. */
export type Script = (keys: string[], args: (string | number)[]) => Promise<unknown>;

export function createScript({ client }: Pick<RedisLink, "client">, text: string): Script {
  const digest = createHash("sha1").update(text).digest("hex");
  return async (keys, args) => {
    try {
      return await client.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      // The first call, and the first after a restart of Redis.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return client.eval(text, keys.length, ...keys, ...args);
    }
  };
}

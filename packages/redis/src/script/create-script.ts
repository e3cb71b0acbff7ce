// A Lua script that Redis runs as one step. Its text travels once; from then on its digest does.
import { createHash } from "node:crypto";
import type { RedisConnection } from "../connection/redis-connection.ts";

/** `keys` by their full names. Rejects when Redis is away. */
export type Script = (keys: string[], args: (string | number)[]) => Promise<unknown>;

export function createScript({ client }: RedisConnection, text: string): Script {
  const digest = createHash("sha1").update(text).digest("hex");
  return async (keys, args) => {
    try {
      return await client.evalsha(digest, keys.length, ...keys, ...args);
    } catch (error) {
      // The first time, and after Redis was restarted.
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return client.eval(text, keys.length, ...keys, ...args);
    }
  };
}

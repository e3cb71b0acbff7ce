// What Redis may throw away when it is full: as every key here has a time to live, anything but "noeviction".
import type { Redis } from "ioredis";

/** What an operator should know; undefined where nothing is thrown away, or Redis does not say. */
export async function findEviction(client: Redis): Promise<string | undefined> {
  const memory = await client.info("memory").catch(() => "");
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  const isBounded = !/^maxmemory:0\s/m.test(memory);
  if (!isBounded || policy === undefined || policy === "noeviction") return undefined;
  return `Redis throws away what it was given when it is full (maxmemory-policy ${policy}); where sessions are kept is then forgotten, and a caller may have two of them at a time: set noeviction`;
}

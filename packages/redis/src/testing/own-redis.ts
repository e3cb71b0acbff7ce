// One real Redis for a test file, and a prefix of its own for each of its tests.
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { connectRedis, type RedisConnection, type RedisOptions } from "../connection/redis-connection.ts";
import { type RunningRedis, startRedis } from "./redis-server.ts";

export const keys: string = `k:${"A".repeat(43)}`;

export interface OwnRedis {
  /** A connection that ends with the test; to another Redis if one is given. */
  connect(options?: Partial<RedisOptions>): Promise<RedisConnection>;
  /** A Redis of this test alone, which may be stopped. */
  start(port?: number): Promise<RunningRedis>;
  /** Is called when the test has ended, the last one first. */
  atEnd(end: () => unknown): void;
}

export function useRedis(): OwnRedis {
  const ends: (() => unknown)[] = [];
  let shared: RunningRedis;
  let count = 0;

  beforeAll(async () => {
    shared = await startRedis();
  });
  afterAll(() => shared.stop());
  beforeEach(() => {
    count += 1;
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  return {
    atEnd: (end) => void ends.push(end),
    async connect(options) {
      const connection = await connectRedis({ url: shared.url, prefix: `${count}:`, ...options });
      ends.push(() => connection.close());
      return connection;
    },
    async start(port) {
      const own = await startRedis(port);
      ends.push(() => own.stop());
      return own;
    },
  };
}

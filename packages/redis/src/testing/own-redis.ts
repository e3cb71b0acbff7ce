// Starts one real Redis per test file and gives each test its own prefix.
import { pickOptions } from "@lethe/protocol";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import {
  connectRedis,
  knownRedisOptions,
  type RedisConnection,
  type RedisOptions,
} from "../connection/redis-connection.ts";
import { type RunningRedis, startRedis } from "./redis-server.ts";

export const keys: string = `k:${"A".repeat(43)}`;

export interface OwnRedis {
  /** Connects for the length of the test; `options.url` selects another Redis. */
  connect(options?: Partial<RedisOptions>): Promise<RedisConnection>;
  /** Starts a Redis for this test alone, which the test may stop. */
  start(port?: number, options?: readonly string[]): Promise<RunningRedis>;
  /** Calls `end` after the test, in reverse order of registration. */
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
      // A running Redis that a test passes has other members too.
      const given = pickOptions<RedisOptions>({ url: shared.url, prefix: `${count}:`, ...options }, knownRedisOptions);
      const connection = await connectRedis(given);
      ends.push(() => connection.close());
      return connection;
    },
    async start(port, options) {
      const own = await startRedis(port, options);
      ends.push(() => own.stop());
      return own;
    },
  };
}

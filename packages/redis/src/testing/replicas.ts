// Starts several replicas in one process over a Redis of their own.
import { once } from "node:events";
import { type ModernRequest, metaKey } from "@lethe/protocol";
import { createKeyRing, type KeyRing } from "@lethe/server/stores";
import { afterEach } from "vitest";
import { connectRedis, type RedisConnection } from "../connection/redis-connection.ts";
import type { RedisDirectoryOptions } from "../replicas/directory-options.ts";
import type { Evidence } from "../replicas/evidence.ts";
import { createRedisDirectory, type RedisDirectory } from "../replicas/redis-directory.ts";
import { type RunningRedis, startRedis } from "./redis-server.ts";

export const ring: KeyRing = createKeyRing(`k1:${Buffer.alloc(32, 1).toString("base64url")}`);

export interface TestReplicas {
  readonly redis: RunningRedis;
  connect(): Promise<RedisConnection>;
  join(options?: Partial<RedisDirectoryOptions>): Promise<RedisDirectory>;
  /** Restarts Redis on the same port without its data. */
  restart(): Promise<void>;
}

/** Returns a function that starts Redis for one test. Everything started is stopped after the test. */
export function useReplicas(): () => Promise<TestReplicas> {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return async () => {
    let redis = await startRedis();
    ends.push(() => redis.stop());
    const { url, port } = redis;
    async function connect(): Promise<RedisConnection> {
      const connection = await connectRedis({ url });
      ends.push(() => connection.close());
      return connection;
    }
    return {
      redis,
      connect,
      async join(options = {}) {
        const connection = options.connection ?? (await connect());
        const plan = { connection, ring, dispatchAt: () => undefined, onProblem: () => {} };
        const directory = await createRedisDirectory({ ...plan, ...options });
        ends.push(() => directory.close());
        return directory;
      },
      async restart() {
        await redis.stop();
        redis = await startRedis(port);
      },
    };
  };
}

export function callOf(name: string, args: object = {}): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
  return { id: "1", method: "tools/call", params: { name, arguments: args, _meta } as ModernRequest["params"] };
}

/** Evidence that the other replicas lack Redis whenever this one does. */
export function createLastingEvidence(): Evidence {
  let permit = Number.NEGATIVE_INFINITY;
  return {
    confirm() {
      permit = Number.POSITIVE_INFINITY;
    },
    permitUntil: () => permit,
    promisedUntil: () => Number.NEGATIVE_INFINITY,
    observe() {},
    introduce: () => Promise.resolve(),
  };
}

/** Ends the connection for commands until `client.connect()`. The driver rejects a `connect()` before the socket has closed. */
export async function disconnect({ client }: RedisConnection): Promise<void> {
  const ended = once(client, "end");
  client.disconnect(false);
  await ended;
}

/** Acquires a session and returns the id of its owner. */
export async function ownerOf(directory: RedisDirectory, key: string): Promise<string> {
  return (await directory.acquire(key)).owner;
}

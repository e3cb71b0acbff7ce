// A server with several processes behind a load balancer. The processes share state through Redis.
import { connectRedis, createRedisRateCounter, createRedisServerOptions, type RedisConnection } from "@lethe/redis";
import { createServer, type Server } from "@lethe/server";
import { rateLimit } from "@lethe/server/middleware";
import { z } from "zod";

export function connect(url: string): Promise<RedisConnection> {
  return connectRedis({
    url,
    // Use a separate prefix for each server.
    prefix: "counter:",
    onLost: (reason) => console.error(`Redis is out of reach: ${reason}`),
    onBack: () => console.error("Redis is back"),
  });
}

/** Each process runs this. LETHE_KEYS contains the keys that all processes share. */
export async function createCounter(redis: RedisConnection): Promise<Server> {
  const server = createServer({ name: "counter", version: "1.0.0" }, await createRedisServerOptions(redis));
  server.use(rateLimit({ perCaller: 600, counter: createRedisRateCounter(redis) }));

  server.tool("count", {
    description: "Count up to a number, one per second",
    inputSchema: z.object({ to: z.int().min(1).max(100) }),
    outputSchema: z.object({ counted: z.number() }),
    // Any process answers requests for the task, and another process finishes it if this one dies.
    task: "always",
    async handler({ to }, ctx) {
      for (let number = 1; number <= to; number++) {
        await ctx.once(`count ${number}`, () => new Promise((resolve) => setTimeout(resolve, 1_000, number)));
        ctx.progress(number, to);
      }
      return { counted: to };
    },
  });
  server.resource("counter://state", { name: "state", handler: () => "counting" });
  return server;
}

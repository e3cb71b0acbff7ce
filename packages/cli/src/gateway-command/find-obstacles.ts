// What would prevent a gateway with a valid configuration from starting on this machine: Redis, keys, busy ports, and missing packages of
// OTLP over gRPC.
import type { GatewaySettings, RedisSettings } from "@lethe/gateway";
import { findPortProblem } from "@lethe/gateway/ports";
import { inspectTelemetry } from "@lethe/gateway/telemetry";
import { hideSecrets } from "@lethe/probe";
import type { CheckedRedis } from "@lethe/redis";
import { createKeyRing, keysFromEnvironment, parseHostAndPort } from "@lethe/server/stores";

export interface Obstacles {
  /** Absent if Redis is not configured. */
  readonly redis?: CheckedRedis & { readonly url: string };
  /** What prevents a start, apart from Redis. */
  readonly others: readonly string[];
}

export async function findObstacles(settings: GatewaySettings = {}): Promise<Obstacles> {
  const { redis, admin, telemetry, host = "127.0.0.1", port = 3000 } = settings;
  const others = [findKeyProblem(), (await findPortProblem(port, host))?.text];
  if (admin?.port !== undefined) others.push((await findPortProblem(admin.port, admin.host ?? "127.0.0.1"))?.text);
  const direct = redis?.direct && parseHostAndPort(redis.direct.listen);
  if (direct) others.push((await findPortProblem(direct.port, direct.host))?.text);
  others.push((await inspectTelemetry(telemetry, process.env))?.problem);
  return {
    ...(redis && { redis: await checkSharedRedis(redis) }),
    others: others.filter((problem) => problem !== undefined),
  };
}

async function checkSharedRedis(settings: RedisSettings): Promise<CheckedRedis & { url: string }> {
  const { checkRedis } = await import("@lethe/redis");
  const { problem, ...checked } = await checkRedis(settings);
  return {
    url: hideSecrets(settings.url),
    ...checked,
    ...(problem !== undefined && { problem: hideSecrets(problem) }),
  };
}

function findKeyProblem(): string | undefined {
  try {
    const keys = keysFromEnvironment();
    if (keys !== undefined) createKeyRing(keys);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

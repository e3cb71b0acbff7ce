// What would prevent a gateway with a valid configuration from starting on this machine: the shared store, keys, busy ports, and missing packages of
// OTLP over gRPC.
import type { GatewaySettings, RedisSettings } from "@lethe/gateway";
import { findPortConflict, findPortProblem } from "@lethe/gateway/ports";
import { inspectTelemetry } from "@lethe/gateway/telemetry";
import type { CheckedPostgres } from "@lethe/postgres";
import { hideSecrets } from "@lethe/probe";
import type { CheckedRedis } from "@lethe/redis";
import { portsOf } from "./gateway-ports.ts";
import { findKeyProblem } from "./key-problem.ts";

export interface Obstacles {
  /** Absent if Redis is not configured. */
  readonly redis?: CheckedRedis & { readonly url: string };
  /** Absent if PostgreSQL is not configured. */
  readonly postgres?: Pick<CheckedPostgres, "isReached" | "problem"> & { readonly url: string };
  /** What prevents a start, apart from the shared store. */
  readonly others: readonly string[];
}

export async function findObstacles(settings: GatewaySettings = {}): Promise<Obstacles> {
  const { redis, postgres, telemetry } = settings;
  const others = [findKeyProblem(), findPortConflict(settings)];
  for (const { port, host } of portsOf(settings)) others.push((await findPortProblem(port, host))?.text);
  others.push((await inspectTelemetry(telemetry, process.env))?.problem);
  return {
    ...(redis && { redis: await checkSharedRedis(redis) }),
    ...(postgres && { postgres: await checkSharedPostgres(postgres) }),
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

async function checkSharedPostgres(
  settings: NonNullable<GatewaySettings["postgres"]>,
): Promise<NonNullable<Obstacles["postgres"]>> {
  const { checkPostgres } = await import("@lethe/postgres");
  const { isReached, problem } = await checkPostgres(settings);
  return { url: hideSecrets(settings.url), isReached, ...(problem !== undefined && { problem: hideSecrets(problem) }) };
}

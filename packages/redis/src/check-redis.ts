// Tries whether a gateway could start with a Redis, without joining its replicas.
import { checkOptions } from "@lethe/protocol";
import {
  connectRedis,
  RedisConnectError,
  type RedisConnection,
  UnusableRedisError,
} from "./connection/redis-connection.ts";
import { problemOf } from "./connection/redis-problem.ts";
import { knownRedisShareSettings, type RedisShareSettings, serverOf } from "./share-by-redis.ts";

/** The result of `checkRedis`: whether a gateway could share its state in this Redis server. */
export interface CheckedRedis {
  /** False if Redis cannot be reached, or rejects the credentials. */
  readonly isReached: boolean;
  /** Why a gateway would not start. Never contains a password. */
  readonly problem?: string;
  /** A setting that may lose data. */
  readonly warning?: string;
}

/** Does what a lease does: writes a key that expires, by a script. */
const tryText = "return redis.call('SET', KEYS[1], '1', 'PX', 1000)";

/**
 * Connects to Redis, and runs a script and a message as the replicas of a gateway do. Never rejects.
 *
 * @example
 * import { checkRedis } from "@lethe/redis";
 *
 * const { isReached, problem } = await checkRedis({ url: "redis://127.0.0.1:6379" });
 * console.log(isReached, problem); // true undefined
 */
export async function checkRedis(options: RedisShareSettings): Promise<CheckedRedis> {
  checkOptions("checkRedis", options, knownRedisShareSettings);
  const { commandTimeoutMs, allowEviction = false } = options;
  const warnings: string[] = [];
  const onProblem = (problem: string): void => void warnings.push(problem);
  let connection: RedisConnection;
  try {
    connection = await connectRedis({
      ...serverOf(options),
      ...(commandTimeoutMs !== undefined && { timeoutMs: commandTimeoutMs }),
      onProblem,
      allowEviction,
    });
  } catch (error) {
    const { message } = error as Error;
    // The caller names the address.
    if (error instanceof RedisConnectError) return { isReached: false, problem: error.problem };
    if (!(error instanceof UnusableRedisError)) return { isReached: false, problem: message };
    return {
      isReached: true,
      problem: `${message}${error.reason === "evicting" ? ", or gateway.redis.allowEviction" : ""}`,
    };
  }
  try {
    const id = crypto.randomUUID();
    await connection.client.eval(tryText, 1, connection.nameOf(`check:${id}`));
    await connection.publish(`check:${id}`, "");
    // The health of a running gateway depends on it.
    await (connection.home ?? connection).client.call("INFO", "server");
  } catch (error) {
    return { isReached: true, problem: problemOf(error as Error).text };
  } finally {
    connection.close();
  }
  return { isReached: true, ...(warnings[0] !== undefined && { warning: warnings[0] }) };
}

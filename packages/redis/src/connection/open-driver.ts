// Opens ioredis connections to one server, or to the primary that Sentinels name.
import { Redis, type RedisOptions } from "ioredis";
import { toTlsOptions } from "./client-certificate.ts";
import { hasTls, type SentinelTarget, type SingleTarget } from "./redis-target.ts";
import { TlsConnector, TlsSentinelConnector } from "./tls-connector.ts";

export const maxRetryDelayMs = 200;

/** The pause before a connection is tried again, in ms. Much less than a permit of a replica (peers/). */
export function retryDelay(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), maxRetryDelayMs);
}

/** The options that Lethe sets. */
export type DriverOptions = Pick<
  RedisOptions,
  | "commandTimeout"
  | "connectTimeout"
  | "connectionName"
  | "enableOfflineQueue"
  | "enableReadyCheck"
  | "autoResubscribe"
  | "lazyConnect"
  | "maxRetriesPerRequest"
  | "reconnectOnError"
  | "retryStrategy"
>;

/** Options of every connection: a command is sent at once or fails, and no command is sent twice. */
export function driverOptions(timeoutMs: number): DriverOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    retryStrategy: retryDelay,
  };
}

/** After a failover, a connection by Sentinels closes and leads to the new primary. */
export function openDriver(target: SingleTarget | SentinelTarget, options: DriverOptions): Redis {
  if (target.kind === "single") {
    const tls = hasTls(target) && { tls: toTlsOptions(target.certificate), Connector: TlsConnector };
    return new Redis(target.url, { ...options, ...tls });
  }
  const { nodes, primary, database, isTls, username, password, sentinel } = target;
  const tls = toTlsOptions(target.certificate);
  return new Redis({
    ...options,
    sentinels: nodes.map((node) => ({ ...node })),
    name: primary,
    db: database,
    failoverDetector: true,
    sentinelRetryStrategy: options.retryStrategy ? retryDelay : () => null,
    ...(options.commandTimeout !== undefined && { sentinelCommandTimeout: options.commandTimeout }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    ...(isTls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true, Connector: TlsSentinelConnector }),
  });
}

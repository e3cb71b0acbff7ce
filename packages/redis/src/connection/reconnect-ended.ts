// Connects again what the driver gave up. ioredis ends a connection by Sentinels for good when a failover is announced while it connects.
import type { Redis } from "ioredis";
import { maxRetryDelayMs } from "./open-driver.ts";

export function reconnectEnded(connection: Redis, isClosed: () => boolean): void {
  const reconnect = (): void => {
    // Another failure ends the connection again.
    if (!isClosed()) connection.connect().catch(() => {});
  };
  connection.on("end", () => {
    if (!isClosed()) setTimeout(reconnect, maxRetryDelayMs);
  });
}

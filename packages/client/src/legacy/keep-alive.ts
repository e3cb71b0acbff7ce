// Pings a legacy server at intervals. A modern server is checked with server/discover instead.
import { isMcpError } from "@lethe/protocol";
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";

export interface KeepAliveOptions {
  /**
   * How often a server of an older revision is pinged, in milliseconds. A missing response ends the connection. Default: no
   * pings.
   */
  pingIntervalMs?: number;
  /** How long the response to a ping may take, in milliseconds. Default 10,000. */
  pingTimeoutMs?: number;
}

export interface KeepAliveContext extends KeepAliveOptions {
  ping(timeoutMs: number): Promise<unknown>;
  /** Called for each failed ping, except when the server answered with an error. */
  onFailed(error: unknown): void;
}

/** Returns a function that stops the pings. The next ping waits for the one before. */
export function keepAlive(context: KeepAliveContext & { pingIntervalMs: number }): () => void {
  const { pingIntervalMs, pingTimeoutMs = 10_000, ping, onFailed } = context;
  let isOver = false;
  let timer: BackgroundTimer | undefined;

  function wait(intervalMs: number): void {
    if (!isOver) timer = startBackgroundTimer(() => void check(intervalMs), intervalMs);
  }

  async function check(intervalMs: number): Promise<void> {
    try {
      await ping(pingTimeoutMs);
    } catch (error) {
      if (!isOver && !isMcpError(error)) onFailed(error);
    }
    wait(intervalMs);
  }

  wait(pingIntervalMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

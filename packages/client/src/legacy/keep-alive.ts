// Asks a legacy server now and then whether it is still there (D-24). A modern one is asked by server/discover, by whoever
// wants to know (J-26).
import { isMcpError } from "@lethe/protocol";
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";

export interface KeepAliveOptions {
  /**
   * How often a server of an older revision is asked whether it is still there, in milliseconds; one that does not answer
   * in time ends the connection. Default: never.
   */
  pingIntervalMs?: number;
  /** How long the answer may take, in milliseconds. Default 10,000. */
  pingTimeoutMs?: number;
}

export interface KeepAliveContext extends KeepAliveOptions {
  ping(timeoutMs: number): Promise<unknown>;
  /** Told of each ping that failed, but for those that the server itself refused: then it is there. */
  onFailed(error: unknown): void;
}

/** Returns what ends it. The next ping waits for the one before. */
export function keepAlive({ pingIntervalMs, pingTimeoutMs = 10_000, ping, onFailed }: KeepAliveContext): () => void {
  if (pingIntervalMs === undefined) return () => {};
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

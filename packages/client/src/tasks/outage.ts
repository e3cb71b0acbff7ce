// Retries a request to a server that may be temporarily unavailable: a task survives the restart of its server.
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { type CancelSignal, pause } from "../call/cancel-signal.ts";
import { isTransportError, type TransportErrorReason } from "../call/transport-error.ts";

const firstPauseMs = 500;
const longestPauseMs = 15_000;
const passing: ReadonlySet<TransportErrorReason> = new Set(["unreachable", "lost", "timeout"]);

export interface OutageOptions {
  /** In ms. */
  maxOutageMs: number;
  signal: CancelSignal;
}

/** Settles like the first `ask` that resolves. Rejects with an error that is permanent, or lasts too long. */
export async function throughOutages<T>(ask: () => Promise<T>, options: OutageOptions): Promise<T> {
  const { maxOutageMs, signal } = options;
  const end = performance.now() + maxOutageMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await ask();
    } catch (error) {
      const waitMs = Math.max(pauseMs, retryAfterMsOf(error) ?? 0);
      if (signal.aborted || !isPassing(error) || performance.now() + waitMs > end) throw error;
      await pause(waitMs, signal);
    }
  }
}

function isPassing(error: unknown): boolean {
  if (!isTransportError(error)) return retryAfterMsOf(error) !== undefined || isLost(error);
  if (error.reason !== "status") return passing.has(error.reason);
  const { status = 0 } = error;
  return status >= 500 || status === 408 || status === 429;
}

/** A server that stopped, or the load balancer in front of it, answered for a request that broke off. */
function isLost(error: unknown): boolean {
  return isMcpError(error) && isJsonObject(error.data) && error.data.reason === "lost";
}

/** For a busy server. */
function retryAfterMsOf(error: unknown): number | undefined {
  if (isTransportError(error)) return error.retryAfterMs;
  if (!isMcpError(error) || !isJsonObject(error.data)) return undefined;
  const { retryAfterMs } = error.data;
  return typeof retryAfterMs === "number" ? retryAfterMs : undefined;
}

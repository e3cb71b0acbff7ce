// Sends progress notifications to a caller that waits for an upstream to start, if it asked for progress (E-30).
import { type Exchange, type ModernRequest, notificationMethod } from "@lethe/protocol";

const firstDelayMs = 1_000;
const usualDelayMs = 5_000;

/** Settles like `started`. */
export async function withStartProgress<T>(
  upstream: string,
  started: Promise<T>,
  request: ModernRequest,
  exchange: Exchange,
): Promise<T> {
  const { progressToken } = request.params._meta;
  if (progressToken === undefined) return started;
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    // Negative and increasing: the progress of the upstream itself starts at 0 and must keep increasing.
    const progress = -1 / performance.now();
    const params = { progressToken, progress, message: `upstream "${upstream}" is starting` };
    exchange.notify({ jsonrpc: "2.0", method: notificationMethod.progress, params });
    timer = setTimeout(tell, usualDelayMs).unref();
  };
  timer = setTimeout(tell, firstDelayMs).unref();
  try {
    return await started;
  } finally {
    clearTimeout(timer);
  }
}

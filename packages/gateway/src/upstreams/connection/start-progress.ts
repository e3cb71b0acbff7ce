// Sends progress notifications to a caller that waits for an upstream, if it asked for progress (E-30).
import { type Exchange, type ModernRequest, notificationMethod } from "@lethe/protocol";

const firstDelayMs = 1_000;
const usualDelayMs = 5_000;

/** A request that waits. */
export interface WaitingRequest {
  readonly request: ModernRequest;
  readonly exchange: Exchange;
}

/** Tells a caller that polls for its upstream why it waits: after 1 s, and then every 5 s. */
export class WaitProgress {
  readonly #message: string;
  readonly #waiting: WaitingRequest;
  #nextMs = firstDelayMs;

  constructor(upstream: string, why: string, waiting: WaitingRequest) {
    this.#message = `upstream "${upstream}" ${why}`;
    this.#waiting = waiting;
  }

  /** Call this between two attempts. `waitedMs` is how long the request has waited so far. */
  tell(waitedMs: number): void {
    if (waitedMs < this.#nextMs) return;
    this.#nextMs = waitedMs + usualDelayMs;
    notify(this.#message, this.#waiting);
  }
}

/** Settles like `started`. */
export async function withStartProgress<T>(
  upstream: string,
  started: Promise<T>,
  request: ModernRequest,
  exchange: Exchange,
): Promise<T> {
  if (request.params._meta.progressToken === undefined) return started;
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    notify(`upstream "${upstream}" is starting`, { request, exchange });
    timer = setTimeout(tell, usualDelayMs).unref();
  };
  timer = setTimeout(tell, firstDelayMs).unref();
  try {
    return await started;
  } finally {
    clearTimeout(timer);
  }
}

function notify(message: string, { request, exchange }: WaitingRequest): void {
  const { progressToken } = request.params._meta;
  if (progressToken === undefined) return;
  // Negative and increasing: the progress of the upstream itself starts at 0 and must keep increasing.
  const progress = -1 / performance.now();
  exchange.notify({
    jsonrpc: "2.0",
    method: notificationMethod.progress,
    params: { progressToken, progress, message },
  });
}

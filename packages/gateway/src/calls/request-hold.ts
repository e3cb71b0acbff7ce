// Holds requests that could not start, and retries them until they start or `sessions.waitMs` is over: a replica or an upstream
// that is away for a moment costs its callers a pause and not an error. A request that may have started is never held.
import { type Exchange, isJsonObject, isMcpError, type McpError, type ModernRequest, onAbort } from "@lethe/protocol";
import { type Clock, isReplicaError, systemClock } from "@lethe/server/stores";
import { WaitProgress } from "../upstreams/connection/start-progress.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { traceOf } from "./call-trace.ts";

/** The pauses between two attempts, in ms. The lower half of each pause is fixed, the upper half random. */
const firstPauseMs = 50;
const maxPauseMs = 250;

export interface RequestHoldOptions {
  /**
   * How long a request waits for another replica at most, in ms, so that its 503 comes before its response starts and a load balancer
   * can try elsewhere. Requests of older clients, which never get 503, wait for `sessions.waitMs`. Default: unlimited.
   */
  readonly replicaWaitMs?: number | undefined;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** Whether other replicas reach the shared state and this one does not: they can serve what this one would hold. Default: no. */
  readonly isCutOff?: () => boolean;
}

export interface NotStarted extends McpError {
  readonly data: {
    readonly reason: "unavailable" | "busy";
    readonly upstream: string;
    /** ms */
    readonly retryAfterMs: number;
  };
}

/** A request that may have to wait, and since when. */
export interface HeldRequest {
  readonly sessions: Pick<UpstreamSessions, "name" | "limits" | "upstream">;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  /** When the request arrived, by `RequestHold.now`. */
  readonly since: number;
}

/** One for all endpoints of a gateway. `sessions.maxWaiting` of an upstream limits how many of its requests are held. */
export class RequestHold {
  readonly #clock: Clock;
  readonly #isCutOff: () => boolean;
  readonly #replicaWaitMs: number;
  readonly #countOf: Map<string, number> = new Map();
  /** Ends the pause of each held request. */
  readonly #wakers: Set<() => void> = new Set();
  #isStopped = false;

  constructor(options: RequestHoldOptions = {}) {
    const { clock = systemClock, isCutOff = () => false, replicaWaitMs = Number.POSITIVE_INFINITY } = options;
    this.#clock = clock;
    this.#isCutOff = isCutOff;
    this.#replicaWaitMs = replicaWaitMs;
  }

  now(): number {
    return this.#clock.now();
  }

  /** The number of held requests for an upstream. */
  countOf(upstream: string): number {
    return this.#countOf.get(upstream) ?? 0;
  }

  /** Fails every held request and holds no more: this process is stopping, and another replica can serve them. */
  stop(): void {
    this.#isStopped = true;
    for (const wake of this.#wakers) wake();
  }

  /**
   * Repeats `attempt` after `failure` while the request has not started. Settles like the last attempt. Rejects with `failure`
   * at once if it does not say that the request has not started, or if the request must not wait.
   */
  async retry<T>(held: HeldRequest, failure: unknown, attempt: () => Promise<T>): Promise<T> {
    const { name, limits } = held.sessions;
    if (!this.#mayRetry(held, failure) || this.countOf(name) >= limits.maxWaiting) throw failure;
    const steps = traceOf(held.request)?.steps;
    steps?.add({ from: steps.self, to: steps.self, kind: "wait", label: `it has not started: ${failure.message}` });
    this.#countOf.set(name, this.countOf(name) + 1);
    try {
      return await this.#retryUntilStarted(held, failure, attempt);
    } finally {
      const others = this.countOf(name) - 1;
      if (others > 0) this.#countOf.set(name, others);
      else this.#countOf.delete(name);
    }
  }

  async #retryUntilStarted<T>(held: HeldRequest, failure: unknown, attempt: () => Promise<T>): Promise<T> {
    const { exchange } = held;
    const progress = new WaitProgress(held.sessions.name, "is unavailable; the request waits", held);
    const pausing = { isOver: false, wake: () => {} };
    onAbort(exchange, () => {
      pausing.isOver = true;
      pausing.wake();
    });
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      await this.#pause(Math.min(pauseMs * (0.5 + Math.random() / 2), this.#leftMs(held, failure)), pausing);
      if (pausing.isOver || this.#isStopped) throw failure;
      // A notification would start the response, after which there is no 503.
      if (!this.#isShort(held, failure)) progress.tell(this.now() - held.since);
      try {
        return await attempt();
      } catch (error) {
        if (!this.#mayRetry(held, error)) throw error;
        failure = error;
      }
    }
  }

  #mayRetry(held: HeldRequest, failure: unknown): failure is NotStarted {
    const { sessions, request, exchange } = held;
    const leftMs = this.#leftMs(held, failure);
    if (leftMs <= 0 || this.#isStopped || !isNotStarted(failure)) return false;
    // The replica that forwarded the request knows better where the session is now.
    if (isReplicaError(failure.cause)) return request.isForwarded !== true && !this.#isCutOff();
    // A session pool that is full has let the request wait already. An upstream in back-off gets no request earlier.
    return failure.data.reason === "unavailable" && sessions.upstream.delayMsOf(exchange.caller?.id) <= leftMs;
  }

  #leftMs(held: HeldRequest, failure: unknown): number {
    const { waitMs } = held.sessions.limits;
    return held.since + (this.#isShort(held, failure) ? Math.min(waitMs, this.#replicaWaitMs) : waitMs) - this.now();
  }

  /** Whether another replica may serve the request if this one gives up early. */
  #isShort({ request }: HeldRequest, failure: unknown): boolean {
    const isOfReplica = isMcpError(failure) && isReplicaError(failure.cause);
    return isOfReplica && this.#replicaWaitMs !== Number.POSITIVE_INFINITY && request.prefersSession !== true;
  }

  #pause(ms: number, pausing: { readonly isOver: boolean; wake: () => void }): Promise<void> {
    if (pausing.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        this.#wakers.delete(wake);
        resolve();
      };
      const cancel = this.#clock.after(Math.max(0, ms), wake);
      pausing.wake = wake;
      this.#wakers.add(wake);
    });
  }
}

/**
 * Whether a request failed before it started. Only this gateway and its replicas create such errors: an upstream cannot claim it,
 * because `refusalStatus` never comes from a peer.
 */
export function isNotStarted(error: unknown): error is NotStarted {
  if (!isMcpError(error) || error.refusalStatus !== 503 || !isJsonObject(error.data)) return false;
  return error.data.reason === "unavailable" || error.data.reason === "busy";
}

/** The upstream that the request is for. */
export function upstreamOf({ data }: NotStarted): string {
  return data.upstream;
}

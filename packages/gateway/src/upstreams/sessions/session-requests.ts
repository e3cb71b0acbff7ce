// Runs requests in the sessions of one upstream: counts them, serializes them if needed, and checks failures against the
// verdict. Every request passes here, so nothing is allocated for a request that need not wait.
import { isSessionLost } from "@lethe/client/edge";
import { type Dispatch, type Exchange, type ModernRequest, method, methodInfo, type Result } from "@lethe/protocol";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import type { Upstream } from "../connection/upstream.ts";
import { isOutage, notStarted } from "../connection/upstream-error.ts";
import { doubtOfError } from "../verdict/contradiction.ts";
import type { VerdictTracker } from "../verdict/verdict-tracker.ts";
import type { Session } from "./session.ts";
import type { SessionLosses } from "./session-losses.ts";
import type { SessionStarts } from "./session-starts.ts";
import type { WaitQueue } from "./wait-queue.ts";

export interface SessionRequestsOptions {
  readonly config: UpstreamConfig;
  /** Records spans of requests. Default: none are recorded. */
  readonly tracing: Tracing | undefined;
  readonly upstream: Upstream;
  readonly judge: VerdictTracker;
  /** Waits for sessions that are still opening. */
  readonly openings: SessionStarts;
  /** Waits for a turn in a session that takes one request at a time. */
  readonly waiting: WaitQueue;
  readonly losses: SessionLosses;
}

export class SessionRequests {
  readonly #config: UpstreamConfig;
  readonly #tracing: Tracing | undefined;
  readonly #upstream: Upstream;
  readonly #verdicts: VerdictTracker;
  readonly #starts: SessionStarts;
  readonly #waiting: WaitQueue;
  readonly #losses: SessionLosses;
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor({ config, tracing, upstream, judge, openings, waiting, losses }: SessionRequestsOptions) {
    this.#config = config;
    this.#tracing = tracing;
    this.#upstream = upstream;
    this.#verdicts = judge;
    this.#starts = openings;
    this.#waiting = waiting;
    this.#losses = losses;
  }

  /** Rejects with McpError for what the upstream says, else with TransportError, or McpError when it cannot begin. */
  run(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    if (!this.#tracing) return this.#run(session, request, exchange, dispatch);
    const { name, kind } = this.#config;
    const route = {
      ...{ upstream: name, kind, session: session.id, revision: session.connection?.revision },
      ...{ url: this.#config.kind === "http" ? this.#config.url : undefined, isResumed: dispatch !== undefined },
    };
    return this.#tracing.send(request, route, (traced) => this.#run(session, traced, exchange, dispatch));
  }

  async #run(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    const { breaker, callerBreakers } = this.#upstream;
    const { callerId } = session.key;
    // An open process serves requests, regardless of failed sessions of other callers.
    const isThere = this.#config.kind === "stdio" && session.connection !== undefined;
    if (!isThere && breaker.admit() > 0) throw this.#upstream.unavailable(callerId);
    // Subscriptions do not end by themselves, so they are not counted.
    const isCounted = request.method !== method.listen;
    if (isCounted) this.#running += 1;
    try {
      const result = await (isCounted
        ? this.#take(session, request, exchange, dispatch)
        : this.#listen(session, request, exchange));
      if (breaker.failures > 0) breaker.succeeded();
      if (callerBreakers.size > 0 && callerId !== undefined) callerBreakers.succeeded(callerId);
      if (!session.hasServed) this.#noteServed(session, request);
      return result;
    } catch (error) {
      if (isSessionLost(error) && dispatch === undefined)
        return await this.#sendAgain(session, request, exchange, error);
      // The end of a process is one failure, regardless of the number of calls it interrupts.
      if (this.#config.kind === "http" && isOutage(error, request.method)) breaker.failed();
      const doubt = session.connection && doubtOfError(error, session.connection);
      if (doubt !== undefined) this.#verdicts.doubt(doubt, session.connection);
      throw error;
    } finally {
      if (isCounted) this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  /** Resolves when no request runs. Subscriptions do not count. */
  async untilIdle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #take(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    const { connection } = session;
    if (!connection || this.#verdicts.verdict?.sharing === "single") {
      return this.#takeTurn(session, request, exchange, dispatch);
    }
    return dispatch ? dispatch(request, exchange) : connection.dispatch(request, exchange);
  }

  #noteServed(session: Session, request: ModernRequest): void {
    if (!mayKeepState(request.method)) return;
    // A session that the server forgot before this call held nothing.
    this.#losses.of(session);
    session.hasServed = true;
  }

  /** The server refused the request because it has forgotten the session. The next request begins another one there. */
  async #sendAgain(session: Session, request: ModernRequest, exchange: Exchange, refusal: Error): Promise<Result> {
    if (this.#losses.of(session) === undefined) {
      try {
        const result = await this.#take(session, request, exchange);
        this.#noteServed(session, request);
        return result;
      } catch (error) {
        if (!isSessionLost(error)) throw error;
      }
    }
    throw notStarted(this.#upstream.name, "unavailable", "has forgotten the session", {
      cause: refusal,
      retryAfterMs: 0,
    });
  }

  async #takeTurn(
    session: Session,
    request: ModernRequest,
    exchange: Exchange,
    resumed: Dispatch | undefined,
  ): Promise<Result> {
    const connection = session.connection ?? (await this.#starts.waitFor(session, request, exchange));
    const dispatch = resumed ?? connection.dispatch;
    if (this.#verdicts.verdict?.sharing !== "single") return dispatch(request, exchange);
    await session.takeTurn(this.#waiting);
    try {
      return await dispatch(request, exchange);
    } finally {
      session.giveTurn(this.#waiting);
    }
  }

  /** A subscription takes no turn, because it would never give it back. It ends when its session is retired. */
  async #listen(session: Session, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const connection = session.connection ?? (await this.#starts.waitFor(session, request, exchange));
    return session.subscribe(connection.dispatch(request, exchange), over);
  }
}

/** Whether requests of this method may leave state in their session that later ones depend on. */
export function mayKeepState(requested: string): boolean {
  if (methodInfo(requested) === undefined) return true;
  return requested === method.callTool || requested === method.readResource || requested === method.getPrompt;
}

/** The result of a subscription that must begin again in another session. */
const over: Result = { resultType: "complete" };

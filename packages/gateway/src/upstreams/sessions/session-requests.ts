// Requests on their way through the sessions of one upstream: counted, one at a time where it takes no more, and watched for
// what they show of it. On the path of every request: nothing here is made for one that need not wait.
import { type Dispatch, type Exchange, type ModernRequest, method, type Result } from "@lethe/protocol";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { Upstream } from "../connection/upstream.ts";
import { isOutage } from "../connection/upstream-error.ts";
import { doubtOfError } from "../verdict/contradiction.ts";
import type { VerdictTracker } from "../verdict/verdict-tracker.ts";
import type { Session } from "./session.ts";
import type { SessionStarts } from "./session-starts.ts";
import type { WaitQueue } from "./wait-queue.ts";

export interface SessionRequestsOptions {
  readonly kind: UpstreamConfig["kind"];
  readonly upstream: Upstream;
  readonly judge: VerdictTracker;
  /** For a session that is not open yet. */
  readonly openings: SessionStarts;
  /** For a turn. */
  readonly waiting: WaitQueue;
}

export class SessionRequests {
  readonly #kind: UpstreamConfig["kind"];
  readonly #upstream: Upstream;
  readonly #verdicts: VerdictTracker;
  readonly #starts: SessionStarts;
  readonly #waiting: WaitQueue;
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor({ kind, upstream, judge, openings, waiting }: SessionRequestsOptions) {
    this.#kind = kind;
    this.#upstream = upstream;
    this.#verdicts = judge;
    this.#starts = openings;
    this.#waiting = waiting;
  }

  /** Rejects with McpError for what the upstream says, else with TransportError, or McpError when it cannot begin. */
  async run(session: Session, request: ModernRequest, exchange: Exchange, dispatch?: Dispatch): Promise<Result> {
    const { breaker, callerBreakers } = this.#upstream;
    const { callerId } = session.key;
    // A process that runs answers, whatever became of others.
    const isThere = this.#kind === "stdio" && session.connection !== undefined;
    if (!isThere && breaker.admit() > 0) throw this.#upstream.unavailable(callerId);
    // A subscription runs for ever.
    const isCounted = request.method !== method.listen;
    if (isCounted) this.#running += 1;
    try {
      const result = await (isCounted
        ? this.#take(session, request, exchange, dispatch)
        : this.#listen(session, request, exchange));
      if (breaker.failures > 0) breaker.succeeded();
      if (callerBreakers.size > 0 && callerId !== undefined) callerBreakers.succeeded(callerId);
      return result;
    } catch (error) {
      // A process that ends is a failure of its own, however many calls it takes with it.
      if (this.#kind === "http" && isOutage(error, request.method)) breaker.failed();
      const doubt = session.connection && doubtOfError(error, session.connection);
      if (doubt !== undefined) this.#verdicts.doubt(doubt, session.connection);
      throw error;
    } finally {
      if (isCounted) this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }

  /** Resolves when nothing runs; subscriptions do not count. */
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

  /** Takes nobody's turn, which it would never give back. Over when its session gives no new requests any more. */
  async #listen(session: Session, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const connection = session.connection ?? (await this.#starts.waitFor(session, request, exchange));
    return session.subscribe(connection.dispatch(request, exchange), over);
  }
}

/** A subscription that is to be begun again. */
const over: Result = { resultType: "complete" };

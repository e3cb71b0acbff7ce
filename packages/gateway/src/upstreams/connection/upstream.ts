// One upstream server: opens connections with back-off, and detects lost ones.
import { type Connection, isTransportError } from "@lethe/client";
import type { McpError } from "@lethe/protocol";
import { defaultUpstream } from "../../config/schema/defaults.ts";
import type { DeclaredExtensions } from "../../extensions/declared-extensions.ts";
import { CallerBreakers } from "./caller-breakers.ts";
import { CircuitBreaker, type CircuitBreakerOptions } from "./circuit-breaker.ts";
import { pause } from "./pause.ts";
import { notStarted, toStartFailure, upstreamError, upstreamOutage } from "./upstream-error.ts";

/** A change of an upstream: it became ready or failed, or its verdict changed. */
export type UpstreamEvent =
  /** The gateway's own session is open. `sharing` says which callers share it. */
  | { kind: "ready"; upstream: string; sharing: string; because: string }
  /** The verdict changed: `doubt` says what contradicted the previous one, `because` explains the new one. */
  | { kind: "verdict"; upstream: string; was: string; sharing: string; doubt: string; because: string }
  /** It ended when a second connection began. From now on it gets one connection at a time. */
  | { kind: "single-tenant"; upstream: string }
  | { kind: "failed"; upstream: string; reason: string; restartInMs: number }
  /** A session of one caller failed. The caller's next request opens a new one. */
  | { kind: "lost"; upstream: string; callerId: string; reason: string };

export interface UpstreamOptions {
  name: string;
  /**
   * Opens a connection for a caller, or for the gateway itself. The signal is aborted after `startTimeoutMs` or when the
   * upstream is stopped.
   */
  connect(signal: AbortSignal, callerId: string | undefined, declared?: DeclaredExtensions): Promise<Connection>;
  /** In ms. Default 60,000, because `npx`, `uvx`, `docker run` and `go run` may have to download or build. */
  startTimeoutMs?: number;
  circuitBreaker?: CircuitBreakerOptions;
  onEvent?(event: UpstreamEvent): void;
}

export interface OpenOptions {
  /** The extensions to declare. Default: none. */
  readonly declared?: DeclaredExtensions | undefined;
  /** Called when the back-off is over. */
  readonly onStart?: () => void;
}

/** A connection that lived this long, in ms, started successfully. Its end resets the back-off. */
const stableMs = 60_000;
/** `retryAfterMs` for callers of an upstream that is starting. */
const startRetryAfterMs = 2_000;

export class Upstream {
  readonly name: string;
  readonly breaker: CircuitBreaker;
  readonly callerBreakers: CallerBreakers;
  readonly #options: UpstreamOptions;
  readonly #stop: AbortController = new AbortController();
  /** Open connections. */
  readonly #open: Set<Connection> = new Set();
  readonly #opening: Set<Promise<Connection>> = new Set();
  /** The number of connections being opened, without those that wait for back-off. */
  #starting = 0;
  /**
   * Why the last start for the gateway itself failed, as callers may see it. "" without a description, undefined if it did not
   * fail.
   */
  #startFailure: string | undefined;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.breaker = new CircuitBreaker(options.circuitBreaker);
    this.callerBreakers = new CallerBreakers(options.circuitBreaker);
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /**
   * Opens a connection after the back-off of an earlier failure, and calls `onStart` when the back-off is over. Rejects with
   * McpError that names the upstream.
   */
  open(callerId?: string, options: OpenOptions = {}): Promise<Connection> {
    const opening = this.#connect(callerId, options);
    this.#opening.add(opening);
    const forget = () => this.#opening.delete(opening);
    opening.then(forget, forget);
    return opening;
  }

  /** Closes a connection from `open`. It does not count as a failure. */
  async close(connection: Connection): Promise<void> {
    this.#open.delete(connection);
    await connection.close();
  }

  /** Closes every connection and opens no more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#opening);
    await Promise.all([...this.#open].map((connection) => this.close(connection)));
  }

  /** Returns the ms until a connection may be opened for this caller, or 0. */
  delayMsOf(callerId: string | undefined): number {
    return Math.max(this.breaker.delayMs, this.callerBreakers.delayMsOf(callerId));
  }

  /** How long opening may take after the back-off, in ms. */
  get startTimeoutMs(): number {
    return this.#options.startTimeoutMs ?? defaultUpstream.startTimeoutMs;
  }

  /** Whether the last start for the gateway itself failed. */
  get hasFailedToStart(): boolean {
    return this.#startFailure !== undefined;
  }

  /** Returns the error for a request that cannot begin. It says when to retry, unless the upstream was stopped. */
  unavailable(callerId?: string, cause?: unknown): McpError {
    const why = cause === undefined ? this.#startFailure : toStartFailure(cause);
    const state = this.#state(callerId, why);
    if (this.isStopped) return upstreamError(this.name, "unavailable", state, { cause });
    return notStarted(this.name, "unavailable", state, { cause, retryAfterMs: this.#retryAfterMs(callerId) });
  }

  /** Returns the same error for discover and lists. */
  unlisted(): McpError {
    const state = this.#state(undefined, this.#startFailure);
    return upstreamOutage(this.name, state, this.#retryAfterMs(undefined));
  }

  #retryAfterMs(callerId: string | undefined): number {
    return this.delayMsOf(callerId) || startRetryAfterMs;
  }

  #state(callerId: string | undefined, why: string | undefined): string {
    if (this.isStopped) return "is not running";
    if (this.#starting > 0 && this.delayMsOf(callerId) === 0) return "is still starting";
    return why ? `is not running: ${why}` : "is not running";
  }

  async #connect(callerId: string | undefined, { onStart, declared }: OpenOptions): Promise<Connection> {
    await pause(this.delayMsOf(callerId), this.#stop.signal);
    if (this.isStopped) throw this.unavailable(callerId);
    onStart?.();
    const { startTimeoutMs } = this;
    const { connect } = this.#options;
    const deadline = new AbortController();
    const late = new Error(`it did not start within ${startTimeoutMs / 1_000} s (startTimeoutMs)`);
    const timer = setTimeout(() => deadline.abort(late), startTimeoutMs);
    const startedAt = Date.now();
    this.#starting += 1;
    try {
      const connecting = connect(AbortSignal.any([this.#stop.signal, deadline.signal]), callerId, declared);
      const connection = await connecting.finally(() => {
        this.#starting -= 1;
      });
      this.#open.add(connection);
      this.breaker.started();
      this.#startFailure = undefined;
      this.#watch(connection, callerId, startedAt);
      return connection;
    } catch (error) {
      const message = messageOf(error);
      const reason = deadline.signal.aborted && !message.includes(late.message) ? late.message : message;
      if (callerId !== undefined && isTransportError(error) && error.reason === "unauthorized") {
        throw this.#refused(callerId, error);
      }
      if (callerId === undefined) this.#startFailure = toStartFailure(error);
      if (!this.isStopped) this.#failed(reason, startedAt);
      throw this.unavailable(callerId, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A function of its own: its closure lives as long as the connection, and would keep the signals of the opening as well. */
  #watch(connection: Connection, callerId: string | undefined, startedAt: number): void {
    void connection.closed.then(({ reason }) => {
      if (!this.#open.delete(connection)) return;
      if (callerId === undefined) this.#failed(reason, startedAt);
      else this.#lost(callerId, reason, startedAt);
    });
  }

  /** A failure with the credentials of one caller does not affect other callers. */
  #refused(callerId: string, error: Error): McpError {
    this.#options.onEvent?.({ kind: "lost", upstream: this.name, callerId, reason: error.message });
    return upstreamError(this.name, "unauthorized", "does not let the gateway in", { cause: error });
  }

  /** The caller's own requests may have ended the session. Other callers have their own sessions. */
  #lost(callerId: string, reason: string, startedAt: number): void {
    if (Date.now() - startedAt > stableMs) this.callerBreakers.succeeded(callerId);
    this.callerBreakers.failed(callerId);
    this.#options.onEvent?.({ kind: "lost", upstream: this.name, callerId, reason });
  }

  #failed(reason: string, startedAt: number): void {
    if (Date.now() - startedAt > stableMs) this.breaker.succeeded();
    const restartInMs = this.breaker.failed();
    this.#options.onEvent?.({ kind: "failed", upstream: this.name, reason, restartInMs });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

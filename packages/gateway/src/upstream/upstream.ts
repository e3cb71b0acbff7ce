// One upstream server, kept alive: started once, restarted with back-off when it ends, and reached through its dispatch.
import type { Connection } from "@lethe/client";
import { type Dispatch, errorCode, isMcpError, McpError } from "@lethe/protocol";
import { type BackoffOptions, backoffMs } from "./backoff.ts";

export type UpstreamEvent =
  | { kind: "ready"; upstream: string }
  | { kind: "failed"; upstream: string; reason: string; restartInMs: number };

export interface UpstreamOptions {
  name: string;
  /** Opens one connection; aborted when it takes longer than `startTimeoutMs` or the gateway stops. */
  connect(signal: AbortSignal): Promise<Connection>;
  /** ms. Default 30 000: a first `npx` may download. */
  startTimeoutMs?: number;
  /** How long a request waits for an upstream that is starting, in ms. Default 10 000. */
  waitMs?: number;
  backoff?: BackoffOptions;
  onEvent?(event: UpstreamEvent): void;
}

/** A connection that lived this long, in ms, was not a failed start: back-off begins anew. */
const stableMs = 60_000;

export class Upstream {
  readonly name: string;
  /** Answers like the upstream; -32603 that names the upstream when it cannot be reached or ends in the middle. */
  readonly dispatch: Dispatch;
  readonly #options: UpstreamOptions;
  readonly #stop: AbortController = new AbortController();
  #connection: Promise<Connection>;
  #current: Connection | undefined;
  #failures = 0;
  #startedAt = 0;
  #restart: { timer: NodeJS.Timeout; go: () => void } | undefined;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.dispatch = async (request, exchange) => {
      const connection = this.#current ?? (await this.#waitForConnection());
      try {
        return await connection.dispatch(request, exchange);
      } catch (error) {
        throw isMcpError(error) ? error : this.#unavailable("failed while it answered", error);
      }
    };
    this.#connection = this.#start();
    this.#connection.catch(() => {});
  }

  /** The connection when it is up, now; undefined while it starts or is down. */
  get connection(): Connection | undefined {
    return this.#current;
  }

  /** Resolves with the first connection from now on; rejects when this start fails. */
  started(): Promise<Connection> {
    return this.#connection;
  }

  /** Ends the connection (and with it the process) and starts nothing any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#restart) {
      clearTimeout(this.#restart.timer);
      this.#restart.go();
    }
    const connection = await this.#connection.catch(() => undefined);
    await connection?.close();
  }

  async #start(): Promise<Connection> {
    const { connect, startTimeoutMs = 30_000, onEvent } = this.#options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), startTimeoutMs);
    this.#startedAt = Date.now();
    try {
      const connection = await connect(AbortSignal.any([this.#stop.signal, deadline.signal]));
      this.#current = connection;
      void connection.closed.then(({ reason }) => this.#ended(reason));
      onEvent?.({ kind: "ready", upstream: this.name });
      return connection;
    } catch (error) {
      this.#ended(deadline.signal.aborted ? `it did not start within ${startTimeoutMs} ms` : (error as Error).message);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #ended(reason: string): void {
    this.#current = undefined;
    if (this.#stop.signal.aborted) return;
    this.#failures = Date.now() - this.#startedAt > stableMs ? 1 : this.#failures + 1;
    const restartInMs = Math.round(backoffMs(this.#failures, this.#options.backoff));
    this.#options.onEvent?.({ kind: "failed", upstream: this.name, reason, restartInMs });
    this.#connection = this.#startLater(restartInMs);
    this.#connection.catch(() => {});
  }

  async #startLater(delayMs: number): Promise<Connection> {
    await new Promise<void>((go) => {
      this.#restart = { timer: setTimeout(go, delayMs), go };
    });
    this.#restart = undefined;
    if (this.#stop.signal.aborted) throw this.#unavailable("is stopped");
    return this.#start();
  }

  async #waitForConnection(): Promise<Connection> {
    const { waitMs = 10_000 } = this.#options;
    const deadline = AbortSignal.timeout(waitMs);
    const late = new Promise<never>((_, reject) => {
      deadline.addEventListener("abort", () => reject(this.#unavailable("is not running")), { once: true });
    });
    return Promise.race([this.#connection, late]).catch((error) => {
      throw isMcpError(error) ? error : this.#unavailable("could not be started", error);
    });
  }

  #unavailable(what: string, cause?: unknown): McpError {
    return new McpError(errorCode.internalError, `upstream "${this.name}" ${what}`, { cause });
  }
}

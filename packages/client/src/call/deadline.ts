// The one clock of a request (E-36): ends it after silence, at its last moment, or when its caller gives up.
import type { CancelSignal } from "./cancel-signal.ts";
import { isTransportError, TransportError } from "./transport-error.ts";

export interface TimeLimits {
  /** Silence after which a request fails, in milliseconds; whatever comes starts it anew. Infinity is none. */
  readonly timeoutMs: number;
  /** What a request may take in all, however much comes, in milliseconds. Infinity is no bound. */
  readonly maxTotalMs: number;
}

/** The longest delay that timers of all runtimes can take. */
const longestDelayMs = 2 ** 31 - 1;

export class Deadline implements CancelSignal {
  readonly #what: string;
  readonly #limits: TimeLimits;
  readonly #caller: AbortSignal | undefined;
  readonly #startedAt: number;
  #activeAt: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listeners: (() => void)[] = [];
  #reason: unknown;
  #aborted = false;
  #isOver = false;

  /** `what` names the request in errors: "tools/call to http://127.0.0.1:3000/mcp". */
  constructor(what: string, limits: TimeLimits, caller: AbortSignal | undefined) {
    this.#what = what;
    this.#limits = limits;
    this.#caller = caller;
    this.#startedAt = performance.now();
    this.#activeAt = this.#startedAt;
    if (caller?.aborted) this.#onCallerAbort();
    else {
      caller?.addEventListener("abort", this.#onCallerAbort);
      this.#arm(Math.min(limits.timeoutMs, limits.maxTotalMs));
    }
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** A TransportError. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Ended by whatever: nothing that comes now matters any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something came: the silence starts anew. */
  touch(): void {
    this.#activeAt = performance.now();
  }

  remainingMs(): number {
    return this.#dueAt() - performance.now();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  /** Ends the request from this side. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.clear();
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  /** The request has ended: nothing is left behind. */
  clear(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
  }

  readonly #onCallerAbort = (): void => {
    const cause: unknown = this.#caller?.reason;
    const isOurs = isTransportError(cause);
    this.abort(isOurs ? cause : new TransportError("cancelled", `${this.#what}: cancelled by the caller`, { cause }));
  };

  #dueAt(): number {
    return Math.min(this.#activeAt + this.#limits.timeoutMs, this.#startedAt + this.#limits.maxTotalMs);
  }

  #arm(delayMs: number): void {
    if (delayMs !== Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(this.#onTimer, Math.min(delayMs, longestDelayMs));
    }
  }

  readonly #onTimer = (): void => {
    const leftMs = this.remainingMs();
    if (leftMs >= 1) {
      this.#arm(leftMs);
      return;
    }
    const isTotal = performance.now() - this.#startedAt >= this.#limits.maxTotalMs - 1;
    const limit = isTotal
      ? `no result within ${this.#limits.maxTotalMs} ms`
      : `silence for ${this.#limits.timeoutMs} ms`;
    this.abort(new TransportError("timeout", `${this.#what}: ${limit}`));
  };
}

// The clock of a request (E-36): aborts it after inactivity, at its total time limit, or when its caller cancels.
import { longestDelayMs } from "./background-timer.ts";
import type { CancelSignal } from "./cancel-signal.ts";
import { isTransportError, TransportError } from "./transport-error.ts";

/** The time limits of a request. */
export interface TimeLimits {
  /** Inactivity after which a request fails, in ms. Any message of the peer restarts it. Infinity disables it. */
  readonly timeoutMs: number;
  /** Total time limit of a request, in ms, regardless of activity. Infinity disables it. */
  readonly maxTotalMs: number;
}

/** Every request has a Deadline, so it allocates little: one timer, and functions only on demand. */
export class Deadline implements CancelSignal {
  /** Its links among the open deadlines of a connection. */
  number = 0;
  readonly #what: string;
  readonly #limits: TimeLimits;
  #startedAt: number;
  #activeAt: number;
  #heldAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopFollowing: (() => void) | undefined;
  /** Most requests have a single listener: the owner of the socket. */
  #listener: (() => void) | undefined;
  #moreListeners: (() => void)[] | undefined;
  #reason: unknown;
  #aborted = false;
  #isOver = false;

  /** `what` names the request in errors: "tools/call to http://127.0.0.1:3000/mcp". */
  constructor(what: string, limits: TimeLimits, caller: CancelSignal | undefined) {
    this.#what = what;
    this.#limits = limits;
    this.#startedAt = performance.now();
    this.#activeAt = this.#startedAt;
    if (caller) this.#follow(caller);
    if (!this.#isOver) this.#arm(Math.min(limits.timeoutMs, limits.maxTotalMs));
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  /** The reason, a TransportError. */
  get reason(): unknown {
    return this.#reason;
  }

  /** True once the request has ended for any reason: later messages are ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Restarts the inactivity timer after a message of the peer. */
  touch(): void {
    this.#activeAt = performance.now();
  }

  hold(): void {
    clearTimeout(this.#timer);
    this.#heldAt ??= performance.now();
  }

  release(): void {
    if (this.#heldAt === undefined) return;
    this.#startedAt += performance.now() - this.#heldAt;
    this.#heldAt = undefined;
    this.touch();
    if (!this.#isOver) this.#arm(this.remainingMs());
  }

  remainingMs(): number {
    const { timeoutMs, maxTotalMs } = this.#limits;
    return Math.min(this.#activeAt + timeoutMs, this.#startedAt + maxTotalMs) - performance.now();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#listener) this.#listener = listener;
    else {
      this.#moreListeners ??= [];
      this.#moreListeners.push(listener);
    }
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined;
    else this.#moreListeners = this.#moreListeners?.filter((other) => other !== listener);
  }

  /** The caller cancels. */
  cancel(cause?: unknown): void {
    if (this.#isOver) return;
    const isOurs = isTransportError(cause);
    this.abort(isOurs ? cause : new TransportError("cancelled", `${this.#what}: cancelled by the caller`, { cause }));
  }

  /** Aborts the request from this side. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const first = this.#listener;
    const more = this.#moreListeners;
    this.clear();
    first?.();
    for (const listener of more ?? []) listener();
  }

  /** Releases the timer and the listeners when the request has ended. */
  clear(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
    this.#listener = undefined;
    this.#moreListeners = undefined;
  }

  #follow(caller: CancelSignal): void {
    const onAbort = (): void => this.cancel(caller.reason);
    this.#stopFollowing = () => caller.removeEventListener("abort", onAbort);
    if (caller.aborted) onAbort();
    else caller.addEventListener("abort", onAbort);
  }

  #arm(delayMs: number): void {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(Deadline.#onTimer, Math.min(delayMs, longestDelayMs), this);
  }

  static #onTimer(deadline: Deadline): void {
    const leftMs = deadline.remainingMs();
    if (leftMs >= 1) deadline.#arm(leftMs);
    else deadline.#expire();
  }

  #expire(): void {
    const { timeoutMs, maxTotalMs } = this.#limits;
    const isTotal = performance.now() - this.#startedAt >= maxTotalMs - 1;
    const limit = isTotal ? `no result within ${maxTotalMs} ms` : `silence for ${timeoutMs} ms`;
    this.abort(new TransportError("timeout", `${this.#what}: ${limit}`));
  }
}

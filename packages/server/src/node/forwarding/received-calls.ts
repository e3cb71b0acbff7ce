// Requests that other replicas forwarded to this one, which owns their sessions.
import { type Dispatch, isInputRequired, method } from "@lethe/protocol";
import type { Clock } from "../../clock/clock.ts";
import { toCarriedError } from "../../replicas/carried-error.ts";
import { BegunCalls } from "./begun-calls.ts";
import type { Carrier } from "./carrier.ts";
import { FailureDetector, type Watching } from "./failure-detector.ts";
import { LateAnswers } from "./late-answers.ts";
import type { CallMessage, FromOwner, Message, Outcome, ToOwner } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";
import { retryUntilAcknowledged } from "./retry-until-acknowledged.ts";
import { sendRepeatable } from "./send-repeatable.ts";
import { settleWithin } from "./settle-within.ts";
import type { CallTimings } from "./timings.ts";

export interface ReceivedCallsOptions {
  readonly messaging: Carrier<Message>;
  readonly clock: Clock;
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** The calls of a replica that has failed are aborted. */
  readonly timings: CallTimings;
  /** An endpoint of this replica; undefined when there is none at this path. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
}

/** How a replica that stops gives up its sessions. */
export interface Release {
  /** Settles when other replicas may acquire them. */
  readonly released: Promise<void>;
  /** When its lease expires by itself, in ms from now. */
  readonly expiresMs: number;
}

interface Running {
  readonly from: string;
  readonly exchange: ReceivedExchange;
  readonly isListening: boolean;
}

const firstPauseMs = 50;
const maxPauseMs = 400;
/** How long the replica that forwarded a call can say that its question did not reach the caller, in ms. */
const abortableMs = 60_000;
const maxAsked = 1_000;
/** How long the shared store may always take to release the sessions, in ms. */
const minReleaseMs = 1_000;

export class ReceivedCalls implements Watching {
  readonly #options: ReceivedCallsOptions;
  readonly #detector: FailureDetector;
  readonly #running = new Map<string, Running>();
  /** Calls whose answer was a question. */
  readonly #asked = new Map<string, { readonly exchange: ReceivedExchange; readonly cancel: () => void }>();
  readonly #late: LateAnswers;
  readonly #begun = new BegunCalls();
  #total = 0;
  #released: Promise<void> | undefined;
  #onDone: (() => void) | undefined;

  constructor(options: ReceivedCallsOptions) {
    this.#options = options;
    this.#detector = new FailureDetector(options);
    this.#late = new LateAnswers(options.clock, options.timings.silenceMs);
  }

  /** How many requests were begun. */
  get total(): number {
    return this.#total;
  }

  receiveFromSender(from: string, message: ToOwner): void {
    this.#detector.receivedFrom(from);
    switch (message.kind) {
      case "call":
        void this.#begin(from, message);
        break;
      case "abort":
        this.#abort(keyOf(from, message.call));
        break;
      case "taken":
        this.#running.get(keyOf(from, message.call))?.exchange.taken(message.bytes);
        break;
      case "ask":
        this.#answer(from, message.calls);
    }
  }

  #answer(from: string, calls: readonly number[]): void {
    const ended = calls.filter((call) => !this.#running.has(keyOf(from, call)));
    const unknown: number[] = [];
    for (const call of ended) {
      const late = this.#late.get(keyOf(from, call));
      if (late) this.#send(from, late);
      else unknown.push(call);
    }
    const unstarted = unknown.filter((call) => this.#begun.lacks(from, call));
    this.#send(from, { kind: "answer", unknown, ...(unstarted.length > 0 && { unstarted }) });
  }

  #abort(key: string): void {
    this.#running.get(key)?.exchange.abort();
    this.#asked.get(key)?.exchange.abort();
    this.#forgetAsked(key);
    this.#late.forget(key);
  }

  /** A replica that waits for an answer asks about its calls. One that has stopped asking is pinged. */
  look(): void {
    const detector = this.#detector;
    const senders = new Set([...this.#running.values()].map(({ from }) => from));
    for (const from of senders) {
      if (detector.silenceOf(from) > 2 * detector.everyMs) detector.ping(from, { kind: "answer", unknown: [] });
    }
    if (this.#running.size === 0) detector.end();
  }

  onFailed(sender: string): void {
    for (const { from, exchange } of this.#running.values()) if (from === sender) exchange.abort();
  }

  /** Messages to this replica may have been lost. */
  onMessagesLost(): void {
    for (const { exchange } of this.#running.values()) exchange.taken(Number.MAX_SAFE_INTEGER);
  }

  /**
   * Begins no more calls, and rejects them when the sessions are released: their callers then find these free. A shared store that does not
   * answer delays that until `graceMs` or the lease is over, or for 1 s if that is longer. Resolves when all running calls are done, or after
   * `graceMs`.
   */
  async drain({ released, expiresMs }: Release, graceMs: number): Promise<void> {
    const { clock } = this.#options;
    const deadline = clock.now() + graceMs;
    this.#released = settleWithin(clock, Math.max(minReleaseMs, Math.min(expiresMs, graceMs)), released);
    await this.#released;
    for (const { exchange, isListening } of this.#running.values()) if (isListening) exchange.abort();
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(Math.max(0, deadline - clock.now()), resolve);
      this.#onDone = () => {
        cancel();
        resolve();
      };
    });
  }

  close(): void {
    this.#detector.end();
    for (const { exchange } of this.#running.values()) exchange.abort();
    for (const key of this.#asked.keys()) this.#forgetAsked(key);
    this.#late.clear();
  }

  async #begin(from: string, message: CallMessage): Promise<void> {
    const { maxCalls, messaging } = this.#options;
    const { call, path, request } = message;
    const dispatch = this.#released !== undefined ? undefined : this.#options.dispatchAt(path);
    if (!dispatch) {
      await this.#released;
      const what = "has its session at a replica of the gateway that takes no more requests";
      return this.#send(from, { kind: "failure", call, reason: "unavailable", what });
    }
    if (this.#running.size >= maxCalls) {
      const what = "has its session at a replica of the gateway that is at its limit";
      return this.#send(from, { kind: "failure", call, reason: "busy", what });
    }
    this.#total += 1;
    this.#begun.add(from, call);
    const key = keyOf(from, call);
    const exchange = new ReceivedExchange(message, (note) => {
      messaging.send(from, note).catch(() => exchange.taken(note.bytes));
    });
    this.#detector.begin(this);
    this.#running.set(key, { from, exchange, isListening: request.method === method.listen });
    let answer: Outcome;
    try {
      answer = { kind: "result", call, result: await dispatch(request, exchange) };
    } catch (error) {
      answer = { kind: "error", call, ...toCarriedError(error) };
    }
    if (exchange.isElsewhere) answer = { ...answer, isElsewhere: true };
    exchange.answered();
    const endedAt = this.#options.clock.now();
    // The answer is sent before the call is forgotten, so that `ask` never reports a call without one.
    const isDelivered = await this.#deliver(from, answer, exchange);
    if (!isDelivered) exchange.abort();
    this.#running.delete(key);
    if (isDelivered && this.#options.clock.now() - endedAt >= this.#detector.everyMs) this.#late.keep(key, answer);
    if (isDelivered && isQuestion(answer)) this.#keepAbortable(key, exchange);
    else exchange.end();
    if (this.#running.size === 0) this.#onDone?.();
  }

  /** The question of a call may still get lost between the other replica and the caller. It would never be answered then. */
  #keepAbortable(key: string, exchange: ReceivedExchange): void {
    const oldest = this.#asked.keys().next();
    if (this.#asked.size >= maxAsked && !oldest.done) this.#forgetAsked(oldest.value);
    const cancel = this.#options.clock.after(abortableMs, () => this.#forgetAsked(key));
    this.#asked.set(key, { exchange, cancel });
  }

  #forgetAsked(key: string): void {
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    asked?.cancel();
    asked?.exchange.end();
  }

  /** Returns whether the answer reached the other replica. */
  async #deliver(to: string, answer: FromOwner, exchange: ReceivedExchange): Promise<boolean> {
    const { messaging, clock, timings } = this.#options;
    let tooLarge: RangeError | undefined;
    const isDelivered = await retryUntilAcknowledged({
      send: () =>
        messaging.send(to, answer).catch((error: unknown) => {
          if (error instanceof RangeError) tooLarge = error;
          return 0;
        }),
      ...{ clock, patienceMs: timings.outageMs, firstPauseMs, maxPauseMs },
      isOver: () => exchange.isAborted || tooLarge !== undefined,
    });
    if (tooLarge) this.#reportTooLarge(to, answer, tooLarge);
    return isDelivered;
  }

  #send(to: string, message: FromOwner): void {
    sendRepeatable(this.#options.messaging, to, message);
  }

  #reportTooLarge(to: string, answer: FromOwner, { message }: RangeError): void {
    if (answer.kind !== "result" && answer.kind !== "error") return;
    this.#options.onProblem(`the answer to a request of another replica is too large to be forwarded: ${message}`);
    const what = "gave an answer that is too large to be forwarded to another replica of the gateway";
    this.#send(to, { kind: "failure", call: answer.call, reason: "too_large", what });
  }
}

function isQuestion(answer: FromOwner): boolean {
  return answer.kind === "result" && isInputRequired(answer.result);
}

function keyOf(from: string, call: number): string {
  return `${from} ${call}`;
}

// Requests that other workers forwarded to this one, which owns their sessions.
import { type Dispatch, isInputRequired, method } from "@lethe/protocol";
import { toCarriedError } from "../../replicas/carried-error.ts";
import type { ReplicaFailure } from "../../replicas/replica-error.ts";
import type { CallMessage } from "../forwarding/message.ts";
import { ReceivedExchange } from "../forwarding/received-exchange.ts";
import type { ForwardedMessage } from "./forwarded-message.ts";
import type { Route } from "./routes.ts";

export interface ReceivedCallsOptions {
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** Size of an answer as JSON, in bytes. */
  readonly maxMessageBytes: number;
  /** An endpoint of this worker; undefined when there is none at this path. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
}

interface Running {
  readonly route: Route;
  readonly exchange: ReceivedExchange;
  readonly isListening: boolean;
}

/** How long the worker that forwarded a call can say that its question did not reach the caller, in ms. */
const abortableMs = 60_000;
const maxAsked = 1_000;

export class ReceivedCalls {
  readonly #options: ReceivedCallsOptions;
  readonly #running = new Map<string, Running>();
  /** Calls whose answer was a question. The oldest first. */
  readonly #asked = new Map<string, { readonly exchange: ReceivedExchange; readonly timer: NodeJS.Timeout }>();
  #total = 0;
  #isLeaving = false;
  #onDone: (() => void) | undefined;

  constructor(options: ReceivedCallsOptions) {
    this.#options = options;
  }

  /** How many requests were begun. */
  get total(): number {
    return this.#total;
  }

  receive(route: Route, message: ForwardedMessage): void {
    const key = keyOf(route, message.call);
    if (message.kind === "call") void this.#begin(route, message);
    else if (message.kind === "taken") this.#running.get(key)?.exchange.taken(message.bytes);
    else if (message.kind === "abort") {
      this.#running.get(key)?.exchange.abort();
      this.#asked.get(key)?.exchange.abort();
      this.#forgetAsked(key);
    }
  }

  /** Nothing more arrives on this route: the callers of its calls are gone. */
  cut(route: Route): void {
    for (const running of this.#running.values()) if (running.route === route) running.exchange.abort();
  }

  /** Begins no more calls. Resolves when all running calls are done, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#isLeaving = true;
    for (const { exchange, isListening } of this.#running.values()) if (isListening) exchange.abort();
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onDone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    for (const { exchange } of this.#running.values()) exchange.abort();
    for (const key of this.#asked.keys()) this.#forgetAsked(key);
  }

  async #begin(route: Route, message: CallMessage): Promise<void> {
    const { maxCalls, dispatchAt } = this.#options;
    const { call, path, request } = message;
    const dispatch = this.#isLeaving ? undefined : dispatchAt(path);
    if (!dispatch)
      return this.#refuse(route, call, [
        "unavailable",
        "has its session at a worker of the gateway that takes no more requests",
      ]);
    if (this.#running.size >= maxCalls) {
      return this.#refuse(route, call, ["busy", "has its session at a worker of the gateway that is at its limit"]);
    }
    this.#total += 1;
    const key = keyOf(route, call);
    const exchange = new ReceivedExchange(message, (note) => route.send(note));
    this.#running.set(key, { route, exchange, isListening: request.method === method.listen });
    let answer: ForwardedMessage;
    try {
      answer = { kind: "result", call, result: await dispatch(request, exchange) };
    } catch (error) {
      answer = { kind: "error", call, failure: toCarriedError(error) };
    }
    exchange.answered();
    this.#running.delete(key);
    this.#answer(route, answer);
    if (answer.kind === "result" && isInputRequired(answer.result)) this.#keepAbortable(key, exchange);
    if (this.#running.size === 0) this.#onDone?.();
  }

  #answer(route: Route, answer: ForwardedMessage): void {
    const { maxMessageBytes: maxBytes, onProblem } = this.#options;
    if (route.send(answer, { maxBytes })) return;
    onProblem(`the answer to a request of another worker has more than ${maxBytes} bytes and is not forwarded`);
    const what = "gave an answer that is too large to be forwarded to another worker of the gateway";
    this.#refuse(route, answer.call, ["too_large", what]);
  }

  /** The question of a call may still get lost between the other worker and the caller. It would never be answered then. */
  #keepAbortable(key: string, exchange: ReceivedExchange): void {
    const [oldest] = this.#asked.keys();
    if (oldest !== undefined && this.#asked.size >= maxAsked) this.#forgetAsked(oldest);
    const timer = setTimeout(() => this.#forgetAsked(key), abortableMs).unref();
    this.#asked.set(key, { exchange, timer });
  }

  #forgetAsked(key: string): void {
    clearTimeout(this.#asked.get(key)?.timer);
    this.#asked.delete(key);
  }

  #refuse(route: Route, call: number, [reason, what]: readonly [ReplicaFailure, string]): void {
    route.send({ kind: "refused", call, reason, what });
  }
}

function keyOf({ to }: Route, call: number): string {
  return `${to} ${call}`;
}

// Requests that this worker forwarded to the owners of their sessions. Each ends with the owner's answer, or with a ReplicaError when
// the process of the owner has ended. No request is sent twice.
import { type Exchange, isInputRequired, type ModernRequest, onAbort, type Result } from "@lethe/protocol";
import { fromCarriedError } from "../../replicas/carried-error.ts";
import { ReplicaError } from "../../replicas/replica-error.ts";
import { type Note, toCallMessage } from "../forwarding/message.ts";
import { ReceivedExchange } from "../forwarding/received-exchange.ts";
import type { ForwardedMessage } from "./forwarded-message.ts";
import type { Route } from "./routes.ts";
import type { UndeliveredReason } from "./worker-peer.ts";

interface Pending {
  readonly route: Route;
  readonly exchange: Exchange;
  /** Notifications that the caller has read since the owner was told, in bytes. */
  unreported: number;
  /** The owner answered with a question for the caller. */
  hasAsked: boolean;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const maxHops = 2;
/** Tells the owner of read notifications in steps of this size, in bytes. */
const reportBytes = 16 * 1024;
const retryAfterMs = 1_000;
const elsewhere = "has its session at another worker of the gateway";

export interface SentCallLimits {
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** Size of a request as JSON, in bytes. */
  readonly maxMessageBytes: number;
}

export class SentCalls {
  readonly #limits: SentCallLimits;
  readonly #pending = new Map<number, Pending>();
  #lastCall = 0;

  constructor(limits: SentCallLimits) {
    this.#limits = limits;
  }

  /** How many requests were sent. */
  get total(): number {
    return this.#lastCall;
  }

  /** Rejects with McpError if the owner answers with an error, and with ReplicaError if forwarding fails. */
  send(
    route: Route,
    path: string,
    { request, exchange }: { request: ModernRequest; exchange: Exchange },
  ): Promise<Result> {
    const hops = exchange instanceof ReceivedExchange ? exchange.hops + 1 : 1;
    if (hops > maxHops) {
      return Promise.reject(unavailable("has a session that moved between workers during the request"));
    }
    if (this.#pending.size >= this.#limits.maxCalls) {
      const what = `${elsewhere}, and too many requests are forwarded already`;
      return Promise.reject(new ReplicaError("busy", what, { retryAfterMs }));
    }
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      const entry: Pending = { route, exchange, unreported: 0, hasAsked: false, resolve, reject };
      this.#pending.set(call, entry);
      onAbort(exchange, () => this.#callerLeft(call, entry));
      if (!this.#pending.has(call)) return;
      const message = toCallMessage({ call, path, hops }, request, exchange);
      const onUndelivered = (reason: UndeliveredReason) => this.#undelivered(call, reason);
      const { maxMessageBytes: maxBytes } = this.#limits;
      if (route.send(message, { isRefusable: true, maxBytes, onUndelivered })) return;
      this.#fail(call, new ReplicaError("too_large", `${elsewhere}, and the request is too large to be forwarded`));
    });
  }

  receive(route: Route, message: ForwardedMessage): void {
    const { call } = message;
    const entry = this.#pending.get(call);
    if (entry?.route !== route) return;
    if (message.kind === "result" || message.kind === "error") entry.exchange.answeredBy?.(route.to);
    switch (message.kind) {
      case "note":
        this.#notify(call, entry, message);
        break;
      case "result":
        this.#pending.delete(call);
        entry.hasAsked = isInputRequired(message.result);
        entry.resolve(message.result);
        break;
      case "error":
        this.#fail(call, fromCarriedError(message.failure));
        break;
      case "refused":
        this.#fail(call, new ReplicaError(message.reason, message.what, { retryAfterMs }));
    }
  }

  /** Nothing more arrives on this route. */
  cut(route: Route): void {
    const what = "was called by a worker of the gateway that has ended; the request may have been carried out";
    for (const [call, pending] of this.#pending) {
      if (pending.route === route) this.#fail(call, new ReplicaError("lost", what));
    }
  }

  close(): void {
    for (const call of this.#pending.keys()) this.#fail(call, new ReplicaError("lost", "was called by another worker"));
  }

  #fail(call: number, error: unknown): void {
    const entry = this.#pending.get(call);
    if (entry && this.#pending.delete(call)) entry.reject(error);
  }

  #undelivered(call: number, reason: UndeliveredReason): void {
    const what = `${elsewhere}, which is slow to take requests`;
    const busy = new ReplicaError("busy", what, { retryAfterMs });
    const gone = unavailable("had its session at a worker of the gateway that has ended");
    this.#fail(call, reason === "gone" ? gone : busy);
  }

  /** A question that did not reach its caller has no answer: the owner must not wait for one. */
  #callerLeft(call: number, { route, hasAsked }: Pending): void {
    if (!hasAsked && !this.#pending.has(call)) return;
    route.send({ kind: "abort", call });
    this.#fail(call, new ReplicaError("lost", "received the cancellation of this request"));
  }

  /** Flow control: the owner holds back notifications that a slow caller has not read. */
  #notify(call: number, entry: Pending, { notification, bytes }: Note): void {
    entry.unreported += bytes;
    const isFast = entry.exchange.notify(notification);
    if (entry.unreported < reportBytes) return;
    const taken = entry.unreported;
    entry.unreported = 0;
    const report = (): void => {
      entry.route.send({ kind: "taken", call, bytes: taken });
    };
    if (isFast) report();
    else void entry.exchange.drained().then(report);
  }
}

function unavailable(what: string): ReplicaError {
  return new ReplicaError("unavailable", what, { retryAfterMs });
}

// Requests that this replica forwarded to the owners of their sessions. Each ends with the owner's answer, or with a ReplicaError
// within seconds of the owner's failure. No request is sent twice.
import { type Exchange, isInputRequired, type ModernRequest, onAbort, type Result } from "@lethe/protocol";
import type { Clock } from "../../clock/clock.ts";
import { fromCarriedError } from "../../replicas/carried-error.ts";
import { ReplicaError } from "../../replicas/replica-error.ts";
import { type Carrier, NotSentError } from "./carrier.ts";
import { type Failure, FailureDetector, type Watching } from "./failure-detector.ts";
import { type Answer, type FromOwner, type Message, type Note, toCallMessage } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";
import { sendRepeatable } from "./send-repeatable.ts";
import type { CallTimings } from "./timings.ts";

export interface SentCallsOptions {
  readonly messaging: Carrier<Message>;
  readonly clock: Clock;
  /** Concurrent calls. */
  readonly maxCalls: number;
  readonly timings: CallTimings;
  /** No process received a message to this replica. */
  onMissed(replica: string): void;
  /** This replica takes no more requests, or has failed. */
  onRefused(replica: string): void;
  /** The replica that was taken for the owner of this session has forwarded a request to another one. */
  onElsewhere(key: string): void;
}

export interface Destination {
  readonly replica: string;
  readonly path: string;
  /** The session that the replica is taken for the owner of. */
  readonly key?: string | undefined;
}

interface Pending {
  readonly replica: string;
  readonly key: string | undefined;
  readonly exchange: Exchange;
  readonly since: number;
  /** Notifications that the caller has read since the last acknowledgement to the owner, in bytes. */
  unacknowledged: number;
  /** Bytes that were acknowledged without a receiver, or lost on their way here. */
  undelivered: number;
  /** The owner answered with a question for the caller. */
  hasAsked: boolean;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const maxHops = 2;
const maxGivenUp = 1_000;
/** Acknowledges read notifications to the owner in steps of this size, in bytes. */
const acknowledgeBytes = 16 * 1024;
const retryAfterMs = 1_000;
const mayHaveRun = "; the request may have been carried out: find out before you repeat it";
/** Why a call has no answer. */
const lost = {
  silent: `was called by a replica of the gateway that has failed${mayHaveRun}`,
  unreached: `was called by another replica of the gateway, and the shared store, which takes requests and answers from one to the other, does not answer${mayHaveRun}`,
  unknown: `was called by another replica of the gateway, and the request or its answer was lost on its way through the shared store${mayHaveRun}`,
  stopped: `was called by another replica of the gateway, and the one that received the request was stopped before the answer${mayHaveRun}`,
} as const;
const elsewhere = "has its session at another replica of the gateway";

export class SentCalls implements Watching {
  readonly #options: SentCallsOptions;
  readonly #detector: FailureDetector;
  readonly #pending = new Map<number, Pending>();
  /** Calls without an answer here that may still run at their owners. */
  readonly #givenUp = new Set<number>();
  #lastCall = 0;

  constructor(options: SentCallsOptions) {
    this.#options = options;
    this.#detector = new FailureDetector(options);
  }

  /** How many requests were sent. */
  get total(): number {
    return this.#lastCall;
  }

  /** Rejects with McpError if the owner answers with an error, and with ReplicaError if forwarding fails. */
  send(to: Destination, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { messaging, maxCalls } = this.#options;
    const hops = exchange instanceof ReceivedExchange ? exchange.hops + 1 : 1;
    if (hops > maxHops)
      return Promise.reject(unreached("has a session that moved between replicas during the request"));
    const state = messaging.stateOf(to.replica);
    if (state === "unreachable") return Promise.reject(unreached(`${elsewhere}, and the shared store does not answer`));
    if (state === "full" || this.#pending.size >= maxCalls) {
      const what = `${elsewhere}, and too many requests are forwarded already`;
      return Promise.reject(new ReplicaError("busy", what, { retryAfterMs }));
    }
    if (exchange instanceof ReceivedExchange) exchange.isElsewhere = true;
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.now();
      const counts = { unacknowledged: 0, undelivered: 0 };
      const entry: Pending = {
        replica: to.replica,
        key: to.key,
        exchange,
        since,
        ...counts,
        hasAsked: false,
        resolve,
        reject,
      };
      this.#pending.set(call, entry);
      this.#detector.begin(this);
      onAbort(exchange, () => this.#callerLeft(call, entry));
      if (this.#pending.has(call)) this.#sendCall(call, to, { request, exchange, hops });
    });
  }

  receiveFromOwner(from: string, message: FromOwner): void {
    this.#detector.receivedFrom(from);
    if (message.kind === "answer") {
      this.#forgetUnknown(from, message);
      return;
    }
    const { call } = message;
    const entry = this.#pending.get(call);
    if (!entry && message.kind === "result" && this.#givenUp.delete(call)) this.#abort(from, call);
    if (entry?.replica !== from) return;
    if ("isElsewhere" in message && entry.key !== undefined) this.#options.onElsewhere(entry.key);
    switch (message.kind) {
      case "note":
        this.#forward(call, entry, message);
        break;
      case "result":
        this.#pending.delete(call);
        entry.hasAsked = isInputRequired(message.result);
        entry.resolve(message.result);
        break;
      case "error":
        this.#fail(call, fromCarriedError(message));
        break;
      case "failure":
        if (message.reason === "unavailable") this.#options.onRefused(from);
        this.#fail(call, new ReplicaError(message.reason, message.what, { retryAfterMs }));
    }
  }

  #forgetUnknown(from: string, { unknown, unstarted = [] }: Answer): void {
    const hasNotBegun = new Set(unstarted);
    for (const call of unknown) {
      if (this.#pending.get(call)?.replica !== from) continue;
      if (hasNotBegun.has(call)) this.#fail(call, unreached(`${elsewhere}, which the request did not reach`));
      else this.#giveUp(call, lost.unknown);
    }
  }

  /** Messages to this replica may have been lost. */
  onMessagesLost(): void {
    for (const entry of this.#pending.values()) entry.undelivered = Number.MAX_SAFE_INTEGER;
  }

  /** Asks the owners of calls that have been running for a while whether these still run. */
  look(): void {
    const now = this.#options.clock.now();
    const callsOf = new Map<string, number[]>();
    for (const [call, entry] of this.#pending) {
      const { replica, since, undelivered } = entry;
      if (now - since < this.#detector.everyMs) continue;
      if (undelivered > 0) {
        entry.undelivered = 0;
        this.#sendAcknowledgement(call, entry, undelivered);
      }
      const calls = callsOf.get(replica);
      if (calls) calls.push(call);
      else callsOf.set(replica, [call]);
    }
    for (const [replica, calls] of callsOf) this.#detector.ping(replica, { kind: "ask", calls });
    if (this.#pending.size === 0) this.#detector.end();
  }

  onLeaseLost(owner: string): void {
    this.#detector.suspect(owner);
  }

  onMissed(owner: string): void {
    this.#options.onMissed(owner);
  }

  onFailed(owner: string, failure: Failure): void {
    this.#options.onRefused(owner);
    for (const [call, { replica }] of this.#pending) if (replica === owner) this.#giveUp(call, lost[failure]);
  }

  close(): void {
    this.#detector.end();
    for (const call of this.#pending.keys()) this.#giveUp(call, lost.stopped);
  }

  #sendCall(
    call: number,
    { replica, path }: Destination,
    { request, exchange, hops }: { request: ModernRequest; exchange: Exchange; hops: number },
  ): void {
    const { messaging, onMissed } = this.#options;
    messaging.send(replica, toCallMessage({ call, path, hops }, request, exchange)).then(
      (receivers) => {
        if (receivers > 0) return;
        onMissed(replica);
        this.#fail(call, unreached("has its session at a replica of the gateway that has failed"));
      },
      (error: unknown) => {
        if (error instanceof RangeError) this.#fail(call, tooLarge());
        else if (error instanceof NotSentError)
          this.#fail(call, unreached(`${elsewhere}, and the connection to it ended`));
        // Otherwise the owner may have begun it, or may begin it when the shared store continues. `look` asks the owner, which handles nothing
        // after the question that was sent before it.
      },
    );
  }

  #fail(call: number, error: unknown): void {
    const entry = this.#pending.get(call);
    if (entry && this.#pending.delete(call)) entry.reject(error);
  }

  /** Also aborts the call at the owner: one that was only stalled must not start it later. */
  #giveUp(call: number, why: string): void {
    const entry = this.#pending.get(call);
    if (!entry) return;
    // The shared store may be away and the call may run: then its result is answered by another abort.
    const oldest = this.#givenUp.values().next();
    if (this.#givenUp.size >= maxGivenUp && !oldest.done) this.#givenUp.delete(oldest.value);
    this.#givenUp.add(call);
    this.#abort(entry.replica, call);
    this.#fail(call, new ReplicaError("lost", why));
  }

  /** A question that did not reach its caller has no answer: the owner must not wait for one. */
  #callerLeft(call: number, { replica, hasAsked }: Pending): void {
    if (hasAsked) this.#abort(replica, call);
    else this.#giveUp(call, "received the cancellation of this request");
  }

  #abort(owner: string, call: number): void {
    sendRepeatable(this.#options.messaging, owner, { kind: "abort", call });
  }

  /** Flow control: the owner holds back notifications that a slow caller has not read. */
  #forward(call: number, entry: Pending, { notification, bytes }: Note): void {
    entry.unacknowledged += bytes;
    const isFast = entry.exchange.notify(notification);
    if (entry.unacknowledged < acknowledgeBytes) return;
    const taken = entry.unacknowledged;
    entry.unacknowledged = 0;
    const acknowledge = () => this.#sendAcknowledgement(call, entry, taken);
    if (isFast) acknowledge();
    else void entry.exchange.drained().then(acknowledge);
  }

  /** Without this message the owner would hold back notifications for ever. */
  #sendAcknowledgement(call: number, entry: Pending, bytes: number): void {
    const retryLater = () => {
      entry.undelivered = Math.min(entry.undelivered + bytes, Number.MAX_SAFE_INTEGER);
    };
    this.#options.messaging.send(entry.replica, { kind: "taken", call, bytes }).then((receivers) => {
      if (receivers === 0) retryLater();
    }, retryLater);
  }
}

function unreached(what: string): ReplicaError {
  return new ReplicaError("unavailable", what, { retryAfterMs });
}

function tooLarge(): ReplicaError {
  return new ReplicaError("too_large", `${elsewhere}, and the request is too large to be forwarded`);
}

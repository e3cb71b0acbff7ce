// Requests that this replica forwarded to the owners of their sessions. Each ends with the owner's answer, or with a ReplicaError
// within seconds of the owner's failure. No request is sent twice.
import {
  type Exchange,
  type JsonRpcErrorObject,
  McpError,
  type ModernRequest,
  onAbort,
  overloaded,
  type Result,
  tooManyRequests,
} from "@lethe/protocol";
import { ReplicaError } from "@lethe/server/stores";
import type { Messaging } from "../messages/messaging.ts";
import { createFailureDetector } from "./failure-detector.ts";
import type { FromOwner, Message, Note } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";

export interface SentCallsOptions {
  readonly messaging: Messaging<Message>;
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** An owner that sends nothing for this time has failed, in ms. */
  readonly silenceMs: number;
  /** No subscriber received a message to this replica, or it takes no more requests. */
  onMissed(replica: string): void;
}

export interface Destination {
  readonly replica: string;
  readonly path: string;
}

export interface SentCalls {
  /** Rejects with McpError if the owner answers with an error, and with ReplicaError if forwarding fails. */
  send(to: Destination, request: ModernRequest, exchange: Exchange): Promise<Result>;
  receive(from: string, message: FromOwner): void;
  /** Messages to this replica may have been lost. */
  onMessagesLost(): void;
  readonly total: number;
  close(): void;
}

interface Pending {
  readonly replica: string;
  readonly exchange: Exchange;
  readonly since: number;
  /** Notifications that the caller has read since the last acknowledgement to the owner, in bytes. */
  unacknowledged: number;
  /** Bytes that were acknowledged without a receiver, or lost on their way here. */
  undelivered: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const maxHops = 2;
/** Acknowledges read notifications to the owner in steps of this size, in bytes. */
const acknowledgeBytes = 16 * 1024;
const retryAfterMs = 1_000;
const lostAtOwner = "was called by a replica of the gateway that has failed; the request may have been carried out";
const elsewhere = "has its session at another replica of the gateway";

export function createSentCalls({ messaging, maxCalls, silenceMs, onMissed }: SentCallsOptions): SentCalls {
  const pending = new Map<number, Pending>();
  let lastCall = 0;
  let total = 0;
  const detector = createFailureDetector({ messaging, silenceMs, look: ask, onFailed: (replica) => failAll(replica) });

  function send({ replica, path }: Destination, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const hops = exchange instanceof ReceivedExchange ? exchange.hops + 1 : 1;
    if (hops > maxHops)
      return Promise.reject(unreached("has a session that moved between replicas during the request"));
    if (!messaging.isUp) return Promise.reject(unreached(`${elsewhere}, and Redis does not answer`));
    if (pending.size >= maxCalls) {
      const what = `${elsewhere}, and too many requests are forwarded already`;
      return Promise.reject(new ReplicaError("busy", what, { retryAfterMs }));
    }
    lastCall += 1;
    total += 1;
    const call = lastCall;
    const { caller, isAnonymous, conversation } = exchange;
    return new Promise((resolve, reject) => {
      pending.set(call, {
        replica,
        exchange,
        since: performance.now(),
        unacknowledged: 0,
        undelivered: 0,
        resolve,
        reject,
      });
      detector.begin();
      onAbort(exchange, () => {
        if (!pending.has(call)) return;
        giveUp(call, "received the cancellation of this request");
      });
      if (!pending.has(call)) return;
      const from = {
        ...(caller && { caller }),
        ...(isAnonymous !== undefined && { isAnonymous }),
        ...(conversation !== undefined && { conversation }),
      };
      messaging.send(replica, { kind: "call", call, path, request, hops, ...from }).then(
        (receivers) => {
          if (receivers > 0) return;
          onMissed(replica);
          fail(call, unreached("has its session at a replica of the gateway that has failed"));
        },
        (error: unknown) => (error instanceof RangeError ? fail(call, tooLarge()) : giveUp(call)),
      );
    });
  }

  function fail(call: number, error: unknown): void {
    const entry = pending.get(call);
    if (entry && pending.delete(call)) entry.reject(error);
  }

  /** Also aborts the call at the owner: one that was only stalled must not start it later. */
  function giveUp(call: number, why = lostAtOwner): void {
    const entry = pending.get(call);
    if (entry) messaging.send(entry.replica, { kind: "abort", call }).catch(() => {});
    fail(call, new ReplicaError("lost", why));
  }

  function receive(from: string, message: FromOwner): void {
    detector.receivedFrom(from);
    if (message.kind === "answer") {
      for (const call of message.unknown) if (pending.get(call)?.replica === from) giveUp(call);
      return;
    }
    const entry = pending.get(message.call);
    if (entry?.replica !== from) return;
    switch (message.kind) {
      case "note":
        forward(message.call, entry, message);
        break;
      case "result":
        pending.delete(message.call);
        entry.resolve(message.result);
        break;
      case "error":
        fail(message.call, toError(message.error, message.refusal));
        break;
      case "failure":
        if (message.reason === "unavailable") onMissed(from);
        fail(message.call, new ReplicaError(message.reason, message.what, { retryAfterMs }));
    }
  }

  /** Flow control: the owner holds back notifications that a slow caller has not read. */
  function forward(call: number, entry: Pending, { notification, bytes }: Note): void {
    entry.unacknowledged += bytes;
    const isFast = entry.exchange.notify(notification);
    if (entry.unacknowledged < acknowledgeBytes) return;
    const taken = entry.unacknowledged;
    entry.unacknowledged = 0;
    const acknowledge = () => sendAcknowledgement(call, entry, taken);
    if (isFast) acknowledge();
    else void entry.exchange.drained().then(acknowledge);
  }

  /** Without this message the owner would hold back notifications for ever. */
  function sendAcknowledgement(call: number, entry: Pending, bytes: number): void {
    const retryLater = () => {
      entry.undelivered = Math.min(entry.undelivered + bytes, Number.MAX_SAFE_INTEGER);
    };
    messaging.send(entry.replica, { kind: "taken", call, bytes }).then((receivers) => {
      if (receivers === 0) retryLater();
    }, retryLater);
  }

  /** Asks the owners of calls that have been running for a while whether these still run. */
  function ask(): void {
    const now = performance.now();
    const callsOf = new Map<string, number[]>();
    for (const [call, entry] of pending) {
      const { replica, since, undelivered } = entry;
      if (now - since < detector.everyMs) continue;
      if (undelivered > 0) {
        entry.undelivered = 0;
        sendAcknowledgement(call, entry, undelivered);
      }
      const calls = callsOf.get(replica);
      if (calls) calls.push(call);
      else callsOf.set(replica, [call]);
    }
    for (const [replica, calls] of callsOf) detector.ping(replica, { kind: "ask", calls });
    if (pending.size === 0) detector.end();
  }

  function failAll(owner?: string): void {
    for (const [call, { replica }] of pending) if (owner === undefined || replica === owner) giveUp(call);
  }

  return {
    send,
    receive,
    onMessagesLost() {
      for (const entry of pending.values()) entry.undelivered = Number.MAX_SAFE_INTEGER;
    },
    get total() {
      return total;
    },
    close() {
      detector.end();
      failAll();
    },
  };
}

function unreached(what: string): ReplicaError {
  return new ReplicaError("unavailable", what, { retryAfterMs });
}

function tooLarge(): ReplicaError {
  return new ReplicaError("too_large", `${elsewhere}, and the request is too large to be forwarded`);
}

function toError({ code, message, data }: JsonRpcErrorObject, refusal: 429 | 503 | undefined): McpError {
  const { retryAfterMs: after = retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
  if (refusal !== undefined) return (refusal === 503 ? overloaded : tooManyRequests)(message, after);
  return new McpError(code, message, data === undefined ? {} : { data });
}

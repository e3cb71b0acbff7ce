// Requests on their way to the replicas that keep their sessions: each ends with the keeper's answer, or with a ReplicaError
// within seconds of the keeper's end. None is sent twice, whatever becomes of it.

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
import type { Mail } from "../mail/mail.ts";
import type { FromKeeper, Message, Note } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";
import { createVigil } from "./vigil.ts";

export interface SentCallsOptions {
  readonly mail: Mail<Message>;
  /** At a time. */
  readonly maxCalls: number;
  /** A keeper that says nothing for so long is taken for gone, in ms. */
  readonly silenceMs: number;
  /** Nobody heard what was sent to this replica, or it takes no more. */
  onMissed(replica: string): void;
}

export interface Destination {
  readonly replica: string;
  readonly path: string;
}

export interface SentCalls {
  /** Rejects with McpError for what the keeper says, with ReplicaError for what comes of the way. */
  send(to: Destination, request: ModernRequest, exchange: Exchange): Promise<Result>;
  hear(from: string, message: FromKeeper): void;
  /** Something that was sent to this replica may be lost. */
  missedSome(): void;
  readonly total: number;
  close(): void;
}

interface Pending {
  readonly replica: string;
  readonly exchange: Exchange;
  readonly since: number;
  /** Notifications that its caller has not taken yet, in bytes. */
  untaken: number;
  /** What was taken, or is lost on its way here, and the keeper has not heard of, in bytes. */
  untold: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

const maxHops = 2;
/** What a caller has taken is told in portions of so many bytes. */
const portionBytes = 16 * 1024;
const retryAfterMs = 1_000;
const lostAtKeeper = "was asked by a replica of the gateway that is gone; the request may have been carried out";
const elsewhere = "has its session at another replica of the gateway";

export function createSentCalls({ mail, maxCalls, silenceMs, onMissed }: SentCallsOptions): SentCalls {
  const pending = new Map<number, Pending>();
  let lastCall = 0;
  let total = 0;
  const vigil = createVigil({ mail, silenceMs, look: ask, onGone: (replica) => failAll(replica) });

  function send({ replica, path }: Destination, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const hops = exchange instanceof ReceivedExchange ? exchange.hops + 1 : 1;
    if (hops > maxHops) return Promise.reject(unreached("has a session that went from replica to replica meanwhile"));
    if (!mail.isUp) return Promise.reject(unreached(`${elsewhere}, and Redis does not answer`));
    if (pending.size >= maxCalls) {
      const what = `${elsewhere}, and too many requests go there already`;
      return Promise.reject(new ReplicaError("busy", what, { retryAfterMs }));
    }
    lastCall += 1;
    total += 1;
    const call = lastCall;
    const { caller, isAnonymous, conversation } = exchange;
    return new Promise((resolve, reject) => {
      pending.set(call, { replica, exchange, since: performance.now(), untaken: 0, untold: 0, resolve, reject });
      vigil.begin();
      onAbort(exchange, () => {
        if (!pending.has(call)) return;
        giveUp(call, "was told that the request is cancelled");
      });
      if (!pending.has(call)) return;
      const from = {
        ...(caller && { caller }),
        ...(isAnonymous !== undefined && { isAnonymous }),
        ...(conversation !== undefined && { conversation }),
      };
      mail.send(replica, { kind: "call", call, path, request, hops, ...from }).then(
        (heard) => {
          if (heard > 0) return;
          onMissed(replica);
          fail(call, unreached("has its session at a replica of the gateway that is gone"));
        },
        (error: unknown) => (error instanceof RangeError ? fail(call, tooLarge()) : giveUp(call)),
      );
    });
  }

  function fail(call: number, error: unknown): void {
    const entry = pending.get(call);
    if (entry && pending.delete(call)) entry.reject(error);
  }

  /** Whatever becomes of the call, nobody waits for it here: a keeper that only stood still must not begin it now. */
  function giveUp(call: number, why = lostAtKeeper): void {
    const entry = pending.get(call);
    if (entry) mail.send(entry.replica, { kind: "abort", call }).catch(() => {});
    fail(call, new ReplicaError("lost", why));
  }

  function hear(from: string, message: FromKeeper): void {
    vigil.heardOf(from);
    if (message.kind === "answer") {
      for (const call of message.unknown) if (pending.get(call)?.replica === from) giveUp(call);
      return;
    }
    const entry = pending.get(message.call);
    if (entry?.replica !== from) return;
    switch (message.kind) {
      case "note":
        pass(message.call, entry, message);
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

  /** The keeper holds back what a slow caller has not taken. */
  function pass(call: number, entry: Pending, { notification, bytes }: Note): void {
    entry.untaken += bytes;
    const isFast = entry.exchange.notify(notification);
    if (entry.untaken < portionBytes) return;
    const taken = entry.untaken;
    entry.untaken = 0;
    const tell = () => tellTaken(call, entry, taken);
    if (isFast) tell();
    else void entry.exchange.drained().then(tell);
  }

  /** A keeper that does not hear of it would wait for ever. */
  function tellTaken(call: number, entry: Pending, bytes: number): void {
    const again = () => {
      entry.untold = Math.min(entry.untold + bytes, Number.MAX_SAFE_INTEGER);
    };
    mail.send(entry.replica, { kind: "taken", call, bytes }).then((heard) => {
      if (heard === 0) again();
    }, again);
  }

  /** Every keeper of a call that takes its time: does it still live, and the call with it? */
  function ask(): void {
    const now = performance.now();
    const callsOf = new Map<string, number[]>();
    for (const [call, entry] of pending) {
      const { replica, since, untold } = entry;
      if (now - since < vigil.everyMs) continue;
      if (untold > 0) {
        entry.untold = 0;
        tellTaken(call, entry, untold);
      }
      const calls = callsOf.get(replica);
      if (calls) calls.push(call);
      else callsOf.set(replica, [call]);
    }
    for (const [replica, calls] of callsOf) vigil.ping(replica, { kind: "ask", calls });
    if (pending.size === 0) vigil.end();
  }

  function failAll(keeper?: string): void {
    for (const [call, { replica }] of pending) if (keeper === undefined || replica === keeper) giveUp(call);
  }

  return {
    send,
    hear,
    missedSome() {
      for (const entry of pending.values()) entry.untold = Number.MAX_SAFE_INTEGER;
    },
    get total() {
      return total;
    },
    close() {
      vigil.end();
      failAll();
    },
  };
}

function unreached(what: string): ReplicaError {
  return new ReplicaError("unavailable", what, { retryAfterMs });
}

function tooLarge(): ReplicaError {
  return new ReplicaError("too_large", `${elsewhere}, and the request is too large to be passed on`);
}

function toError({ code, message, data }: JsonRpcErrorObject, refusal: 429 | 503 | undefined): McpError {
  const { retryAfterMs: after = retryAfterMs } = (data ?? {}) as { retryAfterMs?: number };
  if (refusal !== undefined) return (refusal === 503 ? overloaded : tooManyRequests)(message, after);
  return new McpError(code, message, data === undefined ? {} : { data });
}

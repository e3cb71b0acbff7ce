// Our open requests on a message wire: ids, answers, time limits. What a request means is the matter of whoever sends it.
import {
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcResponse,
  McpError,
  notificationMethod,
  type RequestId,
} from "@lethe/protocol";
import { type BackgroundTimer, startBackgroundTimer } from "./background-timer.ts";
import type { MessageWire } from "./message-wire.ts";
import { TransportError } from "./transport-error.ts";

export interface RequesterOptions {
  /** How long a request may stay without an answer or a sign of life, in milliseconds. Default 10 minutes. */
  timeoutMs?: number;
  /** How many requests may be open at once. Default 10,000. */
  maxOpenRequests?: number;
}

export interface Requester {
  /** The id of the next request: from 1, because some peers take 0 for nothing (J-20). */
  mint(): number;
  /** Rejects with McpError for an error of the peer, and with TransportError when there is no answer. */
  request(id: number, method: string, params: JsonObject | undefined, timeoutMs?: number): Promise<JsonObject>;
  /** Tells the peer and forgets the request: its promise stays open, and a late answer is ignored (C-6). */
  cancel(id: number, reason: string): void;
  /** A sign of life: the time limit starts anew. */
  touch(id: number): void;
  /** The time limit stands still until the next `touch`: it is not the peer who lets us wait. */
  hold(id: number): void;
  notify(method: string, params?: JsonObject): Promise<void>;
  respond(id: RequestId, result: JsonObject): void;
  refuse(id: RequestId, error: JsonRpcErrorObject): void;
  /** Takes a response of the peer; one that fits no open request is dropped. */
  settle(response: JsonRpcResponse): void;
  /** Rejects what is open and whatever is requested from now on. */
  end(error: TransportError): void;
}

interface OpenRequest {
  readonly method: string;
  readonly timeoutMs: number;
  expiresAt: number;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

const defaultTimeoutMs = 600_000;
const sweepMs = 1_000;

export function createRequester(wire: MessageWire, options: RequesterOptions = {}): Requester {
  const { timeoutMs: usualTimeoutMs = defaultTimeoutMs, maxOpenRequests = 10_000 } = options;
  const open = new Map<RequestId, OpenRequest>();
  let lastId = 0;
  let ended: TransportError | undefined;
  let timer: BackgroundTimer | undefined;
  let timerMs = 0;

  function request(
    id: number,
    method: string,
    params: JsonObject | undefined,
    timeoutMs = usualTimeoutMs,
  ): Promise<JsonObject> {
    if (ended) return Promise.reject(ended);
    if (open.size >= maxOpenRequests) return Promise.reject(tooMany(method));
    return new Promise<JsonObject>((resolve, reject) => {
      open.set(id, { method, timeoutMs, expiresAt: performance.now() + timeoutMs, resolve, reject });
      watch(timeoutMs);
      const message = { jsonrpc: "2.0" as const, id, method };
      // The wire answers with a promise when it is slow; only then is there something to wait for.
      const sending = send(params === undefined ? message : { ...message, params });
      sending?.catch((error: Error) => take(id)?.reject(error));
    });
  }

  function send(message: Parameters<MessageWire["send"]>[0]): Promise<void> | undefined {
    try {
      return wire.send(message) ?? undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function take(id: RequestId | undefined): OpenRequest | undefined {
    if (id === undefined) return undefined;
    const found = open.get(id);
    open.delete(id);
    if (open.size === 0) stopWatching();
    return found;
  }

  /** One timer for all requests, because a timer for each would cost more than the rest of the request. */
  function watch(timeoutMs: number): void {
    const ms = Math.min(sweepMs, timeoutMs);
    if (timer !== undefined && timerMs <= ms) return;
    stopWatching();
    timerMs = ms;
    timer = startBackgroundTimer(sweep, ms);
  }

  function stopWatching(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function sweep(): void {
    timer = undefined;
    const now = performance.now();
    for (const [id, entry] of open) if (entry.expiresAt <= now) expire(id, entry);
    if (open.size > 0) watch(timerMs);
  }

  function expire(id: RequestId, { method, timeoutMs, reject }: OpenRequest): void {
    if (method === "initialize") open.delete(id);
    else cancel(id as number, `no answer within ${timeoutMs} ms`);
    reject(new TransportError("timeout", `${method} to ${wire.peer}: no answer within ${timeoutMs} ms`));
  }

  function cancel(id: number, reason: string): void {
    if (!take(id)) return;
    void notify(notificationMethod.cancelled, { requestId: id, reason }).catch(() => {});
  }

  async function notify(method: string, params?: JsonObject): Promise<void> {
    await send(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  function settle(response: JsonRpcResponse): void {
    // An error without an id can only be about the request that is alone (J-29).
    const id = response.id ?? (open.size === 1 ? open.keys().next().value : undefined);
    const entry = take(id);
    if ("result" in response) entry?.resolve(response.result);
    else entry?.reject(toMcpError(response.error));
  }

  function tooMany(method: string): TransportError {
    return new TransportError("too_large", `${method} to ${wire.peer}: ${open.size} requests are open already`);
  }

  function end(error: TransportError): void {
    ended ??= error;
    stopWatching();
    const entries = [...open.values()];
    open.clear();
    for (const entry of entries) entry.reject(ended);
  }

  return {
    mint: () => ++lastId,
    request,
    cancel,
    touch(id) {
      const entry = open.get(id);
      if (entry) entry.expiresAt = performance.now() + entry.timeoutMs;
    },
    hold(id) {
      const entry = open.get(id);
      if (entry) entry.expiresAt = Number.POSITIVE_INFINITY;
    },
    notify,
    respond: (id, result) => void send({ jsonrpc: "2.0", id, result })?.catch(() => {}),
    refuse: (id, error) => void send({ jsonrpc: "2.0", id, error })?.catch(() => {}),
    settle,
    end,
  };
}

function toMcpError({ code, message, data }: JsonRpcErrorObject): McpError {
  return new McpError(code, message, { data });
}

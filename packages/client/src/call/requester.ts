// Our open requests on a message wire, by id. What a request means, and how long it may take, is its sender's matter.
import {
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  notificationMethod,
  OpenMap,
  type RequestId,
} from "@lethe/protocol";
import { orCancelled } from "./cancel-signal.ts";
import { Deadline } from "./deadline.ts";
import type { MessageWire } from "./message-wire.ts";
import { TransportError } from "./transport-error.ts";

export interface RequesterOptions {
  /** How many requests may be open at once. Default 10,000. */
  maxOpenRequests?: number;
}

export interface Requester {
  /** The id of the next request: from 1, because some peers take 0 for nothing (J-20). */
  mint(): number;
  /** Rejects with McpError for an error of the peer, and with TransportError when there is no answer. */
  request(id: RequestId, method: string, params: JsonObject | undefined): Promise<JsonObject>;
  /** For a request of our own, which nobody else bounds. The peer is not told when it takes too long (D-21). */
  requestWithin(timeoutMs: number, method: string, params: JsonObject, id?: RequestId): Promise<JsonObject>;
  /** Tells the peer and forgets the request: its promise stays open, and a late answer is ignored (C-6). */
  cancel(id: RequestId, reason: string): void;
  notify(method: string, params?: JsonObject): Promise<void>;
  respond(id: RequestId, result: JsonObject): void;
  refuse(id: RequestId, error: JsonRpcErrorObject): void;
  /** Repeats a `state` member beside `id` in the response to this request of the peer: some drafts require it (I-22). */
  echoState(request: JsonRpcRequest): void;
  /** Takes a response of the peer; one that fits no open request is dropped. */
  settle(response: JsonRpcResponse): void;
  /** Rejects what is open and whatever is requested from now on. */
  end(error: TransportError): void;
}

/** So many requests of the peer may wait for a response that repeats their state; the oldest loses it. */
const maxStates = 1_000;

interface OpenRequest {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

export function createRequester(wire: MessageWire, options: RequesterOptions = {}): Requester {
  const { maxOpenRequests = 10_000 } = options;
  const open = new OpenMap<OpenRequest>();
  let lastId = 0;
  let ended: TransportError | undefined;
  /** By the id of the peer's request, until it is answered. */
  const states = new Map<RequestId, unknown>();
  wire.onInvalid = (id, error) => find(id)?.reject(error);

  function request(id: RequestId, method: string, params: JsonObject | undefined): Promise<JsonObject> {
    if (ended) return Promise.reject(ended);
    if (open.size >= maxOpenRequests) return Promise.reject(tooMany(method));
    return new Promise((resolve, reject) => {
      open.add(id, { resolve, reject });
      const message: JsonRpcMessage = { jsonrpc: "2.0", id, method };
      if (params !== undefined) message.params = params;
      // A wire answers with a promise when it is slow; only then is there something to wait for.
      send(message)?.catch((error: Error) => open.take(id)?.reject(error));
    });
  }

  async function requestWithin(timeoutMs: number, method: string, params: JsonObject, id: RequestId = ++lastId) {
    const limits = { timeoutMs, maxTotalMs: timeoutMs };
    const deadline = new Deadline(`${method} to ${wire.peer}`, limits, undefined);
    try {
      return await orCancelled(request(id, method, params), deadline);
    } finally {
      deadline.clear();
      open.take(id);
    }
  }

  function send(message: JsonRpcMessage): Promise<void> | undefined {
    try {
      return wire.send(message) ?? undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function cancel(id: RequestId, reason: string): void {
    if (open.take(id)) notify(notificationMethod.cancelled, { requestId: id, reason }).catch(ignore);
  }

  async function notify(method: string, params?: JsonObject): Promise<void> {
    await send(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  function settle(response: JsonRpcResponse): void {
    const found = find(response.id);
    if ("result" in response) found?.resolve(response.result);
    else found?.reject(toMcpError(response.error));
  }

  /** What has no id can only be about the request that is alone (J-29). */
  function find(id: RequestId | undefined): OpenRequest | undefined {
    return id === undefined ? open.takeOnly() : open.take(id);
  }

  function end(error: TransportError): void {
    ended ??= error;
    const requests = open.values;
    open.clear();
    for (const { reject } of requests) reject(ended);
  }

  function echoState(request: JsonRpcRequest): void {
    const { state } = request as { state?: unknown };
    if (state === undefined) return;
    states.set(request.id, state);
    if (states.size > maxStates) states.delete(states.keys().next().value as RequestId);
  }

  function reply(response: JsonRpcResponse): void {
    const state = response.id === undefined ? undefined : states.get(response.id);
    if (state === undefined) return void send(response)?.catch(ignore);
    states.delete(response.id as RequestId);
    send(Object.assign(response, { state }))?.catch(ignore);
  }

  function tooMany(method: string): TransportError {
    return new TransportError("too_large", `${method} to ${wire.peer}: ${open.size} requests are open already`);
  }

  return {
    mint: () => ++lastId,
    request,
    requestWithin,
    cancel,
    notify,
    respond: (id, result) => reply({ jsonrpc: "2.0", id, result }),
    refuse: (id, error) => reply({ jsonrpc: "2.0", id, error }),
    echoState,
    settle,
    end,
  };
}

function toMcpError({ code, message, data }: JsonRpcErrorObject): McpError {
  return new McpError(code, message, { data });
}

function ignore(): void {
  // Nobody waits for what is only told; a wire that is broken says so to those who wait.
}

// Our open requests on a message wire, by id. Their meaning and time limits are the sender's concern.
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
import { SparseMap } from "./sparse-collections.ts";
import { TransportError } from "./transport-error.ts";

export interface RequesterOptions {
  /** Limit of concurrent requests. Default 10,000. */
  maxOpenRequests?: number;
}

export interface Requester {
  /** The id of the next request. Ids start at 1 because some peers treat 0 as missing. */
  mint(): number;
  /** Rejects with McpError for an error of the peer, and with TransportError if there is no response. */
  request(id: RequestId, method: string, params: JsonObject | undefined): Promise<JsonObject>;
  /** Sends a request of this connection itself, with its own time limit. A timeout is not reported to the peer. */
  requestWithin(timeoutMs: number, method: string, params: JsonObject, id?: RequestId): Promise<JsonObject>;
  /** Cancels at the peer and forgets the request: its promise stays pending, and a late response is ignored. */
  cancel(id: RequestId, reason: string): void;
  notify(method: string, params?: JsonObject): Promise<void>;
  respond(id: RequestId, result: JsonObject): void;
  refuse(id: RequestId, error: JsonRpcErrorObject): void;
  /** Repeats a `state` member beside `id` in the response to this request of the peer. Some drafts require it. */
  echoState(request: JsonRpcRequest): void;
  /** Handles a response of the peer. Drops one that matches no open request. */
  settle(response: JsonRpcResponse): void;
  /** Rejects all open requests and every later one. */
  end(error: TransportError): void;
}

/** Requests of the peer whose state can be remembered. The oldest is dropped first. */
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
  const states = new SparseMap<RequestId, unknown>();
  wire.onInvalid = (id, error) => find(id)?.reject(error);

  function request(id: RequestId, method: string, params: JsonObject | undefined): Promise<JsonObject> {
    if (ended) return Promise.reject(ended);
    if (open.size >= maxOpenRequests) return Promise.reject(tooMany(method));
    return new Promise((resolve, reject) => {
      open.add(id, { resolve, reject });
      const message: JsonRpcMessage = { jsonrpc: "2.0", id, method };
      if (params !== undefined) message.params = params;
      // A wire returns a promise only if it is slow; otherwise there is nothing to wait for.
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

  /** A response without an id can only belong to the only open request. */
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
    if (states.size <= maxStates) return;
    for (const oldest of states.keys()) return void states.delete(oldest);
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
  // Nothing waits for a notification. A broken wire reports its failure to the open requests.
}

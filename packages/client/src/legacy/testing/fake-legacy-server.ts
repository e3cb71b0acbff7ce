// A legacy server on a wire in memory, for tests: it answers by method, sends messages on behalf of a test, and records received messages.
import {
  type Exchange,
  isNotification,
  isRequest,
  isResponse,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ModernRequest,
  metaKey,
  type RequestId,
} from "@lethe/protocol";
import type { MessageWire } from "../../call/message-wire.ts";
import { TransportError } from "../../call/transport-error.ts";

/** A result, or `{ error }`; undefined answers nothing. */
export type Answer = (request: JsonRpcRequest) => JsonObject | undefined;

export interface FakeLegacyServer {
  readonly wire: MessageWire;
  /** Everything that the client has sent. */
  readonly received: JsonRpcMessage[];
  /** Writes to the client at once. */
  say(message: JsonRpcMessage, origin?: RequestId): void;
  ask(id: RequestId, method: string, params?: JsonObject, origin?: RequestId): void;
  tell(method: string, params?: JsonObject, origin?: RequestId): void;
  /** The first message that fits, now or when it comes. */
  next<M extends JsonRpcMessage>(fits: (message: JsonRpcMessage) => message is M): Promise<M>;
  nextRequest(method: string): Promise<JsonRpcRequest>;
  nextNotification(method: string): Promise<JsonRpcNotification>;
  nextResponse(id: RequestId): Promise<JsonRpcResponse>;
  /** The process dies. */
  die(reason: string): void;
}

export function createFakeLegacyServer(
  capabilities: JsonObject,
  answers: Record<string, Answer> = {},
): FakeLegacyServer {
  const received: JsonRpcMessage[] = [];
  const waiting = new Set<() => void>();
  let end: (error: TransportError) => void = () => {};
  const closed = new Promise<TransportError>((resolve) => {
    end = resolve;
  });
  const all: Record<string, Answer> = {
    initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "fake", version: "1" } }),
    ...answers,
  };

  const wire: MessageWire = {
    peer: "fake",
    onMessage: () => {},
    closed,
    send(message) {
      received.push(message);
      for (const check of [...waiting]) check();
      if (isRequest(message)) queueMicrotask(() => respond(message));
    },
    async close() {
      end(new TransportError("closed", "the connection to fake was closed"));
    },
  };

  function respond(request: JsonRpcRequest): void {
    const answer = all[request.method]?.(request);
    if (!answer) return;
    const outcome = "error" in answer ? { error: answer.error } : { result: answer };
    say({ jsonrpc: "2.0", id: request.id, ...outcome } as JsonRpcResponse);
  }

  function say(message: JsonRpcMessage, origin?: RequestId): void {
    wire.onMessage(message, origin);
  }

  function next<M extends JsonRpcMessage>(fits: (message: JsonRpcMessage) => message is M): Promise<M> {
    return new Promise((resolve) => {
      const check = () => {
        const found = received.find(fits);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  }

  return {
    wire,
    received,
    say,
    ask: (id, method, params, origin) =>
      say(params ? { jsonrpc: "2.0", id, method, params } : { jsonrpc: "2.0", id, method }, origin),
    tell: (method, params, origin) =>
      say(params ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", method }, origin),
    next,
    nextRequest: (method) => next((m): m is JsonRpcRequest => isRequest(m) && m.method === method),
    nextNotification: (method) => next((m): m is JsonRpcNotification => isNotification(m) && m.method === method),
    nextResponse: (id) => next((m): m is JsonRpcResponse => isResponse(m) && m.id === id),
    die: (reason) => end(new TransportError("lost", reason)),
  };
}

export const everyCapability = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A request whose caller declares every capability, unless `meta` says otherwise. */
export function modernRequest(method: string, params: JsonObject = {}, meta: JsonObject = {}): ModernRequest {
  const envelope = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: everyCapability };
  return { id: "caller-1", method, params: { ...params, _meta: { ...envelope, ...meta } } as ModernRequest["params"] };
}

/** Ignores the rejection of a call that a test leaves open when it closes the connection. */
export function letGo<T>(running: Promise<T>): Promise<T> {
  running.catch(() => {});
  return running;
}

export interface FakeExchange extends Exchange {
  readonly notes: JsonRpcNotification[];
  cancel(): void;
}

export function createFakeExchange(callerId?: string, conversation?: string): FakeExchange {
  const notes: JsonRpcNotification[] = [];
  const controller = new AbortController();
  return {
    notes,
    signal: controller.signal,
    caller: callerId === undefined ? undefined : { id: callerId },
    conversation,
    notify: (notification) => notes.push(notification) > 0,
    drained: async () => {},
    cancel: () => controller.abort(new Error("gone")),
  };
}

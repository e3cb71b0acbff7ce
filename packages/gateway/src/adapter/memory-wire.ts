// Connects a server object of the official SDK in this process, as its own transports do.
import { AsyncLocalStorage } from "node:async_hooks";
import { TransportError } from "@lethe/client";
import type { MessageWire } from "@lethe/client/edge";
import { parseMessage, type RequestId } from "@lethe/protocol";

/** The part of a transport of the official SDK that a server object uses. */
interface OfficialTransport {
  start(): Promise<void>;
  send(message: unknown, options?: { relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: never, extra?: object) => void;
  onclose?: (() => void) | undefined;
}

/** A server object of the official SDK, v1 or v2: `McpServer`, or the `Server` below it. */
export interface OfficialServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/**
 * Messages are copied, as if a transport carried them. All messages of a handler belong to the request that it answers, because the
 * asynchronous context of the request follows the handler; a transport would show that only for some requests.
 */
export async function connectMemoryWire(peer: string, server: OfficialServer): Promise<MessageWire> {
  const origins = new AsyncLocalStorage<RequestId>();
  const closing = new AbortController();
  const closed = new Promise<TransportError>((resolve) => {
    closing.signal.addEventListener("abort", () => resolve(toClosed(peer)), { once: true });
  });
  const wire: MessageWire = {
    peer,
    showsOrigin: true,
    onMessage: () => undefined,
    async send(message) {
      if (closing.signal.aborted) throw toClosed(peer);
      const copy = structuredClone(message);
      const deliver = () => transport.onmessage?.(copy as never, {});
      if ("method" in message && "id" in message) origins.run(message.id, deliver);
      else deliver();
    },
    closed,
    async close() {
      closing.abort();
      await server.close();
    },
  };
  const transport: OfficialTransport = {
    start: async () => undefined,
    async send(message, options) {
      const sent = parseMessage(JSON.parse(JSON.stringify(message)));
      wire.onMessage(sent, options?.relatedRequestId ?? origins.getStore());
    },
    async close() {
      closing.abort();
      transport.onclose?.();
    },
  };
  await server.connect(transport as never);
  return wire;
}

function toClosed(peer: string): TransportError {
  return new TransportError("closed", `${peer} closed its connection`);
}

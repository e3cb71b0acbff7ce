// A client of the MCP endpoint of the page's server, in the browser: one connection per era, opened when it is first used.
import { type Client, connect, createFetchSend, type Handlers, isMcpError, isTransportError } from "@lethe/client";

export type EraChoice = "auto" | "modern" | "legacy";

export interface EndpointClientOptions {
  readonly url: URL;
  /** The key of the caller, if the server requires one. */
  readonly key: () => string | undefined;
  /** What answers the input requests of the calls in an era. */
  handlers(era: EraChoice): Handlers;
}

export interface EndpointClient {
  /** Rejects with McpError or TransportError. A failed connection is tried again by the next call. */
  of(era: EraChoice): Promise<Client>;
  close(): Promise<void>;
  /** Lets requests that begin from now on outlive the page, such as cancellations, and ends the sessions of older revisions. */
  leave(): void;
  /** The page is shown again after `leave`. */
  stay(): void;
}

export function createEndpointClient({ url, key, handlers }: EndpointClientOptions): EndpointClient {
  const clients = new Map<EraChoice, Promise<Client>>();
  let isLeaving = false;
  // Closing a client aborts its requests, also the cancellations that it has just sent.
  const send = createFetchSend((target, init) =>
    fetch(target, isLeaving ? { ...init, signal: null, keepalive: true } : init),
  );

  function open(era: EraChoice): Promise<Client> {
    const opened = connect(url, {
      ...{ era, send, ...handlers(era) },
      info: { name: "lethe-console", version: "0.1.0" },
      headers: () => {
        const token = key();
        return token === undefined ? ({} as Record<string, string>) : { authorization: `Bearer ${token}` };
      },
      onWarning: (message) => console.info(message),
    });
    clients.set(era, opened);
    const forget = () => {
      if (clients.get(era) === opened) clients.delete(era);
    };
    opened.then(({ connection }) => connection.closed.then(forget), forget);
    return opened;
  }

  return {
    of: (era) => clients.get(era) ?? open(era),
    async close() {
      const open = [...clients.values()];
      clients.clear();
      await Promise.allSettled(open.map(async (client) => (await client).close()));
    },
    leave() {
      isLeaving = true;
      for (const opened of clients.values()) {
        // A connection of 2026-07-28 has no session to end.
        opened.then((client) => (client.connection.era === "legacy" ? client.close() : undefined)).catch(() => {});
      }
    },
    stay() {
      isLeaving = false;
    },
  };
}

/** Whether the server wants a key, or another one. */
export function needsKey(error: unknown): boolean {
  return isTransportError(error) && error.reason === "unauthorized";
}

export function describeError(error: unknown): string {
  if (isMcpError(error)) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

// Routes what clients of older revisions post about a running call: a response to the process that its id names, a cancellation to all processes,
// because it names none. The types are those of a relay of client messages (legacy/shared/client-message-relay.ts), stated again: forwarding
// must work without the support of older revisions.
import {
  isJsonObject,
  isResponse,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcResponse,
  notificationMethod,
} from "@lethe/protocol";

type ClientMessage = JsonRpcResponse | JsonRpcNotification;

/** A client message as processes send it to each other. A type alias, because an interface is no JsonObject. */
export type SentClientMessage = {
  /** The address of the process that sends it. */
  readonly from: string;
  readonly sessionId: string;
  /** The message. */
  readonly word: JsonObject;
};

export interface ClientMessageRoutes {
  /** Names this process. Followed by a dot, it starts the id of each input request sent here. */
  readonly address: string;
  /** Delivers a message to the calls of this process. */
  deliverHere(sessionId: string, message: ClientMessage): void;
  /** Sends a response to another process. The client chose the address: it may be that of no process. */
  sendTo(address: string, message: SentClientMessage): void;
  /** Sends a cancellation to all other processes. */
  sendToAll(message: SentClientMessage): void;
}

export interface RoutedClientMessages {
  /** Takes a message of a client. Drops a response whose id names no process. */
  deliver(sessionId: string, message: ClientMessage): void;
  /** Takes what another process sent. Ignores what this process sent, and what is not a client message. */
  receive(message: JsonObject | undefined): void;
}

const addressPattern = /^[A-Za-z0-9_-]{1,32}$/;

export function routeClientMessages(routes: ClientMessageRoutes): RoutedClientMessages {
  const { address } = routes;
  return {
    deliver(sessionId, message) {
      const sent = { from: address, sessionId, word: message as unknown as JsonObject };
      if (!isResponse(message)) {
        routes.deliverHere(sessionId, message);
        if (message.method === notificationMethod.cancelled) routes.sendToAll(sent);
        return;
      }
      const asker = addressIn(message.id);
      if (asker === address) routes.deliverHere(sessionId, message);
      else if (addressPattern.test(asker)) routes.sendTo(asker, sent);
    },
    receive({ from, sessionId, word } = {}) {
      if (from === address || typeof sessionId !== "string" || !isJsonObject(word)) return;
      routes.deliverHere(sessionId, word as unknown as ClientMessage);
    },
  };
}

/** Returns "" for an id that names no process. */
function addressIn(id: JsonRpcResponse["id"]): string {
  return typeof id === "string" ? id.slice(0, Math.max(0, id.indexOf("."))) : "";
}

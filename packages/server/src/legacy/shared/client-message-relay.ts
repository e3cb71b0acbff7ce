// Delivers what a client posts about a running call to the process that runs it: a response to an input request, or a cancellation.

import {
  checkOptions,
  isResponse,
  type JsonRpcNotification,
  type JsonRpcResponse,
  type KnownOptions,
} from "@lethe/protocol";

/** The response to an input request of this server, or `notifications/cancelled`. */
export type ClientMessage = JsonRpcResponse | JsonRpcNotification;

/**
 * Carries client messages between the processes of a deployment. Without a shared relay, a session whose calls request
 * input must stay on one process.
 */
export interface ClientMessageRelay {
  /**
   * Names this process: letters, digits, "_" and "-". Followed by a dot, it starts the id of each input request sent here, and
   * therefore of its response, so that a response names the process that it belongs to.
   */
  readonly address?: string;
  /** Returns immediately. Drops a message that no process waits for. */
  deliver(sessionId: string, message: ClientMessage): void;
  /** Receives the messages for a session while one of its calls runs here. Returns a function that stops listening. */
  listen(sessionId: string, listener: (message: ClientMessage) => void): () => void;
}

/** Options of `createMemoryClientMessageRelay`. */
export interface MemoryClientMessageRelayOptions {
  /** Called once, for the first response that no call in this process waits for. Default: no warning. */
  onWarning?: (warning: string) => void;
}

const knownMemoryClientMessageRelayOptions: KnownOptions<MemoryClientMessageRelayOptions> = { onWarning: true };

const unexpectedResponse =
  "a legacy client responded to an input request that is not pending in this process: it is too late, or another process " +
  "sent it. If several processes serve one URL, share the option legacy.clientMessages, or route each session to one process.";

/**
 * Creates a relay for one process. `onWarning` is called once, for the first response that no call waits for.
 *
 * @example
 * import { createMemoryClientMessageRelay } from "@lethe/server/stores";
 *
 * const relay = createMemoryClientMessageRelay();
 * const stop = relay.listen("session", (message) => console.log(message));
 * stop();
 */
export function createMemoryClientMessageRelay(options: MemoryClientMessageRelayOptions = {}): ClientMessageRelay {
  checkOptions("createMemoryClientMessageRelay", options, knownMemoryClientMessageRelayOptions);
  const { onWarning } = options;
  const listeners = new Map<string, Set<(message: ClientMessage) => void>>();
  let hasWarned = false;
  return {
    deliver(sessionId, message) {
      const listening = listeners.get(sessionId);
      if (listening) for (const listener of listening) listener(message);
      else if (isResponse(message) && !hasWarned) {
        hasWarned = true;
        onWarning?.(unexpectedResponse);
      }
    },
    listen(sessionId, listener) {
      const listening = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, listening.add(listener));
      return () => {
        if (listening.delete(listener) && listening.size === 0) listeners.delete(sessionId);
      };
    },
  };
}

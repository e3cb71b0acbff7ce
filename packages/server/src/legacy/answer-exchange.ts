// Brings what a client posts about a running call to the process that runs it: the answer to a question, or its end.
import type { JsonRpcNotification, JsonRpcResponse } from "@lethe/protocol";

/** A response to a question of ours, or `notifications/cancelled`. */
export type ClientWord = JsonRpcResponse | JsonRpcNotification;

/** Shared by all processes of a deployment, or a session with live questions has to stay on one. */
export interface AnswerExchange {
  /** Returns at once. A word that nobody waits for is dropped. */
  deliver(sessionId: string, word: ClientWord): void;
  /** Hears what is delivered for a session, as long as one of its calls runs here. Returns how to stop. */
  listen(sessionId: string, listener: (word: ClientWord) => void): () => void;
}

/** For one process. */
export function createMemoryAnswerExchange(): AnswerExchange {
  const listeners = new Map<string, Set<(word: ClientWord) => void>>();
  return {
    deliver(sessionId, word) {
      for (const listener of listeners.get(sessionId) ?? []) listener(word);
    },
    listen(sessionId, listener) {
      const hearing = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, hearing.add(listener));
      return () => {
        if (hearing.delete(listener) && hearing.size === 0) listeners.delete(sessionId);
      };
    },
  };
}

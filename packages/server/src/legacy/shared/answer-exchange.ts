// Brings what a client posts about a running call to the process that runs it: the answer to a question, or its end.
import { isResponse, type JsonRpcNotification, type JsonRpcResponse } from "@lethe/protocol";

/** A response to a question of ours, or `notifications/cancelled`. */
export type ClientMessage = JsonRpcResponse | JsonRpcNotification;

/** Shared by all processes of a deployment, or a session with live questions has to stay on one. */
export interface AnswerExchange {
  /**
   * Stands, with a dot after it, in front of the id of each question that is asked here, and so of its answer: letters,
   * digits, "_" and "-". Without it an answer does not say where it belongs.
   */
  readonly address?: string;
  /** Returns at once. A word that nobody waits for is dropped. */
  deliver(sessionId: string, word: ClientMessage): void;
  /** Hears what is delivered for a session, as long as one of its calls runs here. Returns how to stop. */
  listen(sessionId: string, listener: (word: ClientMessage) => void): () => void;
}

export interface MemoryAnswerExchangeOptions {
  /** Told once, of an answer that nothing in this process waits for. */
  onWarning?: (warning: string) => void;
}

const unheard =
  "an older client answered a inputRequest that nothing in this process waits for: too late, or asked by another process. " +
  "Where several processes serve one URL, share the option legacy.answers, or keep each session on one process.";

/** For one process. */
export function createMemoryAnswerExchange({ onWarning }: MemoryAnswerExchangeOptions = {}): AnswerExchange {
  const listeners = new Map<string, Set<(word: ClientMessage) => void>>();
  let hasWarned = false;
  return {
    deliver(sessionId, word) {
      const hearing = listeners.get(sessionId);
      if (hearing) for (const listener of hearing) listener(word);
      else if (isResponse(word) && !hasWarned) {
        hasWarned = true;
        onWarning?.(unheard);
      }
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

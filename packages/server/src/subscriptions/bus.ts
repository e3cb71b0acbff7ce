// Publishes changes to every hub, in this process or in others.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { Change } from "./change.ts";

/** Carries changes to the subscriptions of all processes. */
export interface Bus {
  /** Returns at once. Delivers at most once: a client that missed a change refetches when it reconnects. */
  publish(change: Change): void;
  /** Returns a function that unsubscribes. */
  subscribe(listener: (change: Change) => void): () => void;
  close?(): void | Promise<void>;
}

export interface MemoryBusOptions {
  /** Called with the error of a listener; other listeners still get the change. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

const knownMemoryBusOptions: KnownOptions<MemoryBusOptions> = { onError: true };

/**
 * Creates a bus for one process: listeners are called before `publish` returns. An error of a listener does not stop the others.
 *
 * @example
 * import { createMemoryBus } from "@lethe/server/stores";
 *
 * const bus = createMemoryBus();
 * bus.subscribe((change) => console.log(change));
 * bus.publish({ kind: "tools" });
 */
export function createMemoryBus(options: MemoryBusOptions = {}): Bus {
  checkOptions("createMemoryBus", options, knownMemoryBusOptions);
  const { onError = console.error } = options;
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const listener of listeners) {
        try {
          listener(change);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
    },
  };
}

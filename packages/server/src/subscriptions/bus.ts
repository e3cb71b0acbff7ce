// Carries changes from whoever makes them to every hub, on this machine or on others (the interface is all a hub knows).
import type { Change } from "./change.ts";

export interface Bus {
  /** Returns at once. Delivery is at most once: a listening client that missed a change refetches when it reconnects. */
  publish(change: Change): void;
  /** Returns how to unsubscribe. */
  subscribe(listener: (change: Change) => void): () => void;
  close?(): void | Promise<void>;
}

export interface MemoryBusOptions {
  /** Hears what a listener threw; the other listeners still get the change. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

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
export function createMemoryBus({ onError = console.error }: MemoryBusOptions = {}): Bus {
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

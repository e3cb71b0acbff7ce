// A set of listeners that counts: a listener that joined twice is called once, until it has left twice.
import { spreadOverTurns } from "@lethe/server/edge";

export interface ListenerSet<T> {
  readonly isEmpty: boolean;
  join(listener: (event: T) => void): void;
  leave(listener: (event: T) => void): void;
  /** Begins at once, and takes several turns of the event loop for thousands of listeners. Equal events that wait are merged. */
  tell(event: T): void;
}

/** Listeners that learn of an event in a turn of the event loop. Each may write to the streams of a caller. */
const maxPerTurn = 500;

export function createListenerSet<T>(): ListenerSet<T> {
  const counts = new Map<(event: T) => void, number>();
  const waiting = new Set<T>();
  const work = spreadOverTurns(function* () {
    for (const event of waiting) {
      waiting.delete(event);
      let left = maxPerTurn;
      for (const listener of counts.keys()) {
        if (left === 0) {
          yield;
          left = maxPerTurn;
        }
        left -= 1;
        listener(event);
      }
    }
  });

  return {
    get isEmpty() {
      return counts.size === 0;
    },
    join(listener) {
      counts.set(listener, (counts.get(listener) ?? 0) + 1);
    },
    leave(listener) {
      const left = (counts.get(listener) ?? 0) - 1;
      if (left > 0) counts.set(listener, left);
      else counts.delete(listener);
    },
    tell(event) {
      waiting.add(event);
      work.start();
    },
  };
}

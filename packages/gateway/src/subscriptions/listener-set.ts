// A set of listeners that counts: a listener that joined twice is called once, until it has left twice.

export interface ListenerSet<T> {
  readonly isEmpty: boolean;
  join(listener: (event: T) => void): void;
  leave(listener: (event: T) => void): void;
  tell(event: T): void;
}

export function createListenerSet<T>(): ListenerSet<T> {
  const counts = new Map<(event: T) => void, number>();
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
      for (const listener of counts.keys()) listener(event);
    },
  };
}

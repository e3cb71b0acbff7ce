// A key that the user typed, kept until the tab is closed. The page sends it to its own origin only.

export interface StoredKey {
  get(): string | undefined;
  /** Undefined forgets the key. */
  set(key: string | undefined): void;
  /** Calls back after each change. Returns a function that ends this. */
  subscribe(callback: () => void): () => void;
}

export function createStoredKey(name: string, storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): StoredKey {
  const callbacks = new Set<() => void>();
  return {
    get: () => storage.getItem(name) ?? undefined,
    set(key) {
      if (key === undefined || key === "") storage.removeItem(name);
      else storage.setItem(name, key);
      for (const callback of callbacks) callback();
    },
    subscribe(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

// Stores client registrations and tokens under keys that contain their issuer (G-33, G-46).
import type { JsonObject } from "@lethe/protocol";

type Awaitable<T> = T | Promise<T>;

/** Stores secrets: an implementation must protect them from other users. */
export interface AuthStore {
  load(key: string): Awaitable<JsonObject | undefined>;
  save(key: string, value: JsonObject): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /**
   * Runs one task per key at a time, across all processes that share the store. A refresh token often works only
   * once. Without it, only the clients of one authorizer avoid using it twice.
   */
  exclusively?<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export interface MemoryAuthStoreOptions {
  /** Limit of entries. The least recently used entry is dropped first. Default 10 000. */
  maxEntries?: number;
}

export function createMemoryAuthStore({ maxEntries = 10_000 }: MemoryAuthStoreOptions = {}): AuthStore {
  const entries = new Map<string, JsonObject>();
  const tails = new Map<string, Promise<unknown>>();

  function put(key: string, value: JsonObject): void {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string);
  }

  return {
    load(key) {
      const value = entries.get(key);
      if (value) put(key, value);
      return value;
    },
    save: put,
    delete: (key) => void entries.delete(key),
    async exclusively(key, task) {
      const turn = (tails.get(key) ?? Promise.resolve()).then(task);
      const tail = turn.catch(() => {});
      tails.set(key, tail);
      try {
        return await turn;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}

/** `account` separates the users of a store that serves several of them. */
export function createAuthKeys(account: string): AuthKeys {
  const key = (...parts: string[]) => JSON.stringify([account, ...parts]);
  return {
    client: (issuer) => key("client", issuer),
    pin: (clientId) => key("issuer", clientId),
    tokens: (issuer, resource) => key("tokens", issuer, resource),
    server: (url) => key("server", url),
  };
}

export interface AuthKeys {
  /** Key of the client that was registered at this issuer. */
  client(issuer: string): string;
  /** Key of the issuer that a configured client belongs to. */
  pin(clientId: string): string;
  tokens(issuer: string, resource: string): string;
  /** Key of the issuer and resource that this server used last. */
  server(url: string): string;
}

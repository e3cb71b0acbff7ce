// Where registrations and tokens are kept (G-33, G-46), and under which names: always those of their issuer.
import type { JsonObject } from "@lethe/protocol";

type Awaitable<T> = T | Promise<T>;

/** Holds secrets: an implementation must keep others from reading it. */
export interface AuthStore {
  load(key: string): Awaitable<JsonObject | undefined>;
  save(key: string, value: JsonObject): Awaitable<void>;
  delete(key: string): Awaitable<void>;
  /**
   * Runs one task per key at a time, among all who share the store. A refresh token is often good for one use: without
   * this, only the clients of one authorizer are kept from using it twice.
   */
  exclusively?<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export interface MemoryAuthStoreOptions {
  /** The entry not touched for longest goes first. Default 10 000. */
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

/** `account` tells apart whose tokens these are, in a store that serves several users. */
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
  /** The client that was registered at this issuer. */
  client(issuer: string): string;
  /** The issuer that this given client belongs to. */
  pin(clientId: string): string;
  tokens(issuer: string, resource: string): string;
  /** Which issuer and resource this server had last. */
  server(url: string): string;
}

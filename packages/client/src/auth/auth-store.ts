// Stores client registrations and tokens under keys that contain their issuer (G-33, G-46).

import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";

type Awaitable<T> = T | Promise<T>;

/** Stores secrets: an implementation must protect them from other users. */
export interface AuthStore {
  /** Returns the stored value, undefined if there is none. */
  load(key: string): Awaitable<JsonObject | undefined>;
  /** Stores a value in place of the earlier one. */
  save(key: string, value: JsonObject): Awaitable<void>;
  /** Deletes a value. Deleting a missing one is no error. */
  delete(key: string): Awaitable<void>;
  /**
   * Runs one task per key at a time, across all processes that share the store. A refresh token often works only
   * once. Without it, only the clients of one authorizer avoid using it twice.
   */
  exclusively?<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** The limit of a store in memory. */
export interface MemoryAuthStoreOptions {
  /** Limit of entries. The least recently used entry is dropped first. Default 10 000. */
  maxEntries?: number;
}

const knownMemoryAuthStoreOptions: KnownOptions<MemoryAuthStoreOptions> = { maxEntries: true };

/**
 * Creates a store for registrations and tokens that ends with the process. Holds 10,000 entries by default. `createFileAuthStore` of
 * `@lethe/client/node` keeps them across restarts.
 *
 * @example
 * import { createMemoryAuthStore } from "@lethe/client/auth";
 *
 * const store = createMemoryAuthStore({ maxEntries: 100 });
 * await store.save("key", { accessToken: "secret" });
 * console.log(await store.load("key")); // { accessToken: 'secret' }
 */
export function createMemoryAuthStore(options: MemoryAuthStoreOptions = {}): AuthStore {
  checkOptions("createMemoryAuthStore", options, knownMemoryAuthStoreOptions);
  const { maxEntries = 10_000 } = options;
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

// The tokens that one account keeps for one server, in the store of the host (G-46).
import type { JsonObject } from "@lethe/protocol";
import type { AuthKeys, AuthStore } from "./auth-store.ts";
import { parseTokenSet, type TokenSet } from "./token-set.ts";

export class StoredTokens {
  readonly #store: AuthStore;
  readonly #keys: AuthKeys;
  readonly #url: string;

  constructor(url: URL, store: AuthStore, keys: AuthKeys) {
    this.#url = url.href;
    this.#store = store;
    this.#keys = keys;
  }

  async load(issuer: string, resource: string): Promise<TokenSet | undefined> {
    return parseTokenSet((await this.#store.load(this.#keys.tokens(issuer, resource))) ?? undefined);
  }

  /** Loads the tokens that the server used last, in this process or an earlier one. */
  async loadLast(): Promise<TokenSet | undefined> {
    const last = await this.#store.load(this.#keys.server(this.#url));
    if (typeof last?.issuer !== "string" || typeof last.resource !== "string") return undefined;
    return this.load(last.issuer, last.resource);
  }

  async save(tokens: TokenSet): Promise<void> {
    const { issuer, resource } = tokens;
    await this.#store.save(this.#keys.tokens(issuer, resource), tokens as unknown as JsonObject);
    await this.#store.save(this.#keys.server(this.#url), { issuer, resource });
  }

  /** Runs one task at a time for these tokens, across all processes that share the store if it can do that. */
  exclusively<T>({ issuer, resource }: TokenSet, task: () => Promise<T>): Promise<T> {
    const store = this.#store;
    return store.exclusively ? store.exclusively(this.#keys.tokens(issuer, resource), task) : task();
  }
}

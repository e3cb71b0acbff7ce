// Static API keys as bearer tokens, for servers without an authorization server. The time of an answer reveals nothing about a key but the
// length of the longest.
import { type Caller, checkOptions, type KnownOptions, nameOf } from "@lethe/protocol";
import { type Authenticator, authenticatorOf } from "./authenticator.ts";
import { parseBearer } from "./bearer.ts";
import { KeyTable } from "./key-table.ts";

/** A fixed key of one caller. */
export interface ApiKey {
  /** Names the caller in logs and in sealed state; unique. */
  id: string;
  /** At least 16 of the characters that a bearer token may have (A-Z a-z 0-9 - . _ ~ + /); unique. */
  key: string;
  scopes?: readonly string[];
}

const knownApiKey: KnownOptions<ApiKey> = { id: "a string", key: "a string", scopes: true };

const minKeyLength = 16;

/**
 * Creates an authenticator for fixed API keys, sent as bearer tokens. Keys have at least 16 characters. Throws an Error for a short or
 * repeated key, which it does not name.
 *
 * @example
 * import { createKeyAuthenticator } from "@lethe/server/auth";
 *
 * const authenticator = createKeyAuthenticator([{ id: "ann", key: "a-key-of-16-characters", scopes: ["read"] }]);
 * console.log((await authenticator.authenticate("Bearer a-key-of-16-characters")).id); // key ann
 */
export function createKeyAuthenticator(keys: readonly ApiKey[]): Authenticator {
  if (!Array.isArray(keys))
    throw new TypeError(`createKeyAuthenticator: an array of keys expected, got ${nameOf(keys)}`);
  checkOptions("createKeyAuthenticator", { keys }, { keys: knownApiKey });
  requireDistinct(keys);
  const table = new KeyTable(
    keys.map(({ id, key, scopes = [] }) => ({ key, caller: { id: `key ${id}`, scopes } satisfies Caller })),
  );
  return authenticatorOf({ verify: async (token) => table.find(token) });
}

function requireDistinct(keys: readonly ApiKey[]): void {
  for (const { id, key } of keys) {
    if (key.length < minKeyLength) throw new TypeError(`key "${id}" must have at least ${minKeyLength} characters`);
    if (parseBearer(`Bearer ${key}`) === "malformed")
      throw new TypeError(`key "${id}" cannot be sent as a bearer token`);
  }
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new TypeError("each key must have its own id");
  if (new Set(keys.map(({ key }) => key)).size < keys.length) throw new TypeError("two ids have the same key");
}

// Static API keys as bearer tokens, for servers without an authorization server. A token is compared with all bytes of all keys
// every time, so that timing reveals nothing about a key but the length of the longest.
import { type Caller, checkOptions, type KnownOptions, nameOf } from "@lethe/protocol";
import { type Authenticator, authenticatorOf } from "./authenticator.ts";
import { parseBearer } from "./bearer.ts";

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
const encoder = new TextEncoder();

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
  const known = keys.map(({ id, key, scopes = [] }) => ({
    bytes: encoder.encode(key),
    caller: { id: `key ${id}`, scopes } satisfies Caller,
  }));
  const longest = Math.max(...known.map(({ bytes }) => bytes.length));

  return authenticatorOf({
    async verify(token) {
      // Comparing a long token would take long.
      if (token.length > longest) return undefined;
      const given = encoder.encode(token);
      let found: Caller | undefined;
      for (const { bytes, caller } of known) if (isSame(given, bytes)) found = caller;
      return found;
    },
  });
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

/** Takes a time that depends on the length of `given` alone. */
function isSame(given: Uint8Array, key: Uint8Array): boolean {
  let difference = given.length ^ key.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= (given[index] ?? 0) ^ (key[index % key.length] ?? 0);
  }
  return difference === 0;
}

// Static API keys as bearer tokens, for servers without an authorization server. All keys are compared by their digests
// every time, so that timing reveals nothing about a key.
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
  const callers = keys.map(({ id, scopes = [] }): Caller => ({ id: `key ${id}`, scopes }));
  let digests: Promise<Uint8Array[]> | undefined;

  return authenticatorOf({
    async verify(token) {
      digests ??= Promise.all(keys.map(({ key }) => digestOf(key)));
      const [given, known] = await Promise.all([digestOf(token), digests]);
      let found: Caller | undefined;
      for (const [index, digest] of known.entries()) {
        if (isSameDigest(given, digest)) found = callers[index];
      }
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

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Compares every byte, for constant time. */
function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < a.length; index += 1) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}

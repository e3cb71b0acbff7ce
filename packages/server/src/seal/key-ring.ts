// The keys that seal and open tokens. The first key seals and all open. To rotate, append a new key everywhere, move it first, then remove the old one (docs/gateway/keys.md).
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { fromBase64url, toBase64url } from "./base64url.ts";

/** One key that seals the state callers carry. */
export interface SealKey {
  /** Readable in each token, to find its key: letters, digits, "_" and "-", at most 32. */
  readonly id: string;
  /** 32 bytes as base64url, 43 characters. */
  readonly key: string;
}

export const knownSealKey: KnownOptions<SealKey> = { id: "a string", key: "a string" };

/** The type CryptoKey, which is not a global of every compilation, such as one with @types/node and without "dom". */
type ImportedKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

/** A key of this ring. Its bytes cannot be read back. */
export interface RingKey {
  readonly id: string;
  /** Imported once, on the first call. */
  cryptoKey(): Promise<ImportedKey>;
  /** Derives 32 bytes for one purpose, which reveal neither the key nor other derived bytes (RFC 5869). */
  derive(purpose: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** The keys of a deployment: the first one seals, and all of them open. Created by `createKeyRing`. */
export interface KeyRing {
  /** True for a random key of this process: other processes cannot open its tokens, nor can this one after a restart. */
  readonly isEphemeral: boolean;
  /** Seals. */
  readonly first: RingKey;
  find(id: string): RingKey | undefined;
  /** All keys, the first one first. */
  readonly keys: readonly RingKey[];
}

const keyBytes = 32;
const maxKeys = 32;
const idPattern = /^[A-Za-z0-9_-]{1,32}$/;

/** The source of the list, for error messages. */
const listName = "key list (LETHE_KEYS, or the option keys)";

/**
 * Creates a key ring from text like "new:KEY,old:KEY" or from a list; each key is 32 bytes as base64url. The first key seals, all keys
 * open. Without keys it makes one random, ephemeral key. Throws an Error that names the position of a wrong entry, never a key.
 *
 * @example
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const ring = createKeyRing(`new:${"E".repeat(43)},old:${"A".repeat(43)}`);
 * console.log(ring.first.id, ring.isEphemeral); // new false
 */
export function createKeyRing(keys?: string | readonly SealKey[]): KeyRing {
  if (keys === undefined) return createEphemeralRing();
  const list = typeof keys === "string" ? parseKeyList(keys) : keys;
  checkOptions("createKeyRing", { keys: list }, { keys: knownSealKey });
  if (list.length > maxKeys) throw new Error(`${listName}: at most ${maxKeys} keys expected, got ${list.length}`);
  const byId = new Map<string, RingKey>();
  for (const [index, { id, key }] of list.entries()) {
    if (!idPattern.test(id)) throw invalidEntry(index, `an id of 1 to 32 letters, digits, "_" or "-" expected`);
    if (byId.has(id)) throw invalidEntry(index, "an id that no other entry has expected");
    byId.set(id, createRingKey(id, parseKey(key, index)));
  }
  const [first] = byId.values();
  if (first === undefined) throw new Error(`${listName}: at least one key expected, got none`);
  return { isEphemeral: false, first, find: (id) => byId.get(id), keys: [...byId.values()] };
}

function parseKeyList(text: string): SealKey[] {
  if (text.trim() === "") return [];
  return text.split(",").map((entry, index) => {
    const parts = entry.trim().split(":");
    const [id, key] = parts;
    if (parts.length !== 2 || id === undefined || key === undefined) throw invalidEntry(index, '"id:key" expected');
    return { id, key };
  });
}

function parseKey(key: string, index: number): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64url(key);
  const expected = `a key of ${keyBytes} bytes as base64url without padding expected`;
  if (bytes === undefined) throw invalidEntry(index, `${expected}, got other characters`);
  if (bytes.length !== keyBytes) throw invalidEntry(index, `${expected}, got ${bytes.length} bytes`);
  return bytes;
}

function invalidEntry(index: number, expectation: string): Error {
  return new Error(`${listName}, entry ${index + 1}: ${expectation}`);
}

/** The key is created on first use: many servers never seal anything, and loading WebCrypto takes 2 ms. */
function createEphemeralRing(): KeyRing {
  let made: RingKey | undefined;
  return {
    isEphemeral: true,
    get first() {
      made ??= createRandomKey();
      return made;
    },
    find: (id) => (id === made?.id ? made : undefined),
    get keys() {
      return [this.first];
    },
  };
}

function createRandomKey(): RingKey {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(keyBytes + 6));
  return createRingKey(toBase64url(random.subarray(keyBytes)), random.slice(0, keyBytes));
}

function createRingKey(id: string, bytes: Uint8Array<ArrayBuffer>): RingKey {
  let imported: Promise<ImportedKey> | undefined;
  return {
    id,
    cryptoKey() {
      imported ??= globalThis.crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
      return imported;
    },
    async derive(purpose) {
      const { subtle } = globalThis.crypto;
      const info = new TextEncoder().encode(purpose);
      const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
      const base = await subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits"]);
      return new Uint8Array(await subtle.deriveBits(algorithm, base, keyBytes * 8));
    },
  };
}

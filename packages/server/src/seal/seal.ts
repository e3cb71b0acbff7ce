// Sealed tokens: state that a client carries but can neither read, change nor use for another request (E-27, E-28).

import {
  checkOptions,
  invalidParams,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  type McpError,
} from "@lethe/protocol";
import { fromBase64url, toBase64url } from "./base64url.ts";
import type { KeyRing, RingKey } from "./key-ring.ts";

/** The request that a token belongs to. It opens only if all four members are equal. */
export interface Binding {
  readonly callerId: string | undefined;
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string;
  /** The canonical JSON of the arguments. It is authenticated with the token, and not part of it. */
  readonly arguments: string;
}

/** Options of `createSeal`. */
export interface SealOptions {
  /** The name of the server. A token of another server does not open, even with the same keys. */
  server: string;
  /** Lifetime of a token in ms. Default 600,000 (10 minutes). A lower value also applies to existing tokens. */
  ttlMs?: number;
  /** Size of the payload as JSON, in bytes. Default 64 KiB. */
  maxBytes?: number;
  /** Called once, when an ephemeral key seals its first token. */
  onEphemeral?: () => void;
  /** Returns the time in ms since 1970. Default: Date.now. */
  now?: () => number;
}

const knownSealOptions: KnownOptions<SealOptions> = {
  server: "a string",
  ttlMs: true,
  maxBytes: true,
  onEphemeral: true,
  now: true,
};

/** Encrypts the state that callers carry, and binds it to a caller and a request. Created by `createSeal`. */
export interface Seal {
  /** Throws RangeError when the payload is too large. */
  seal(payload: JsonObject, binding: Binding): Promise<string>;
  /** Rejects with McpError -32602, which does not reveal the reason. */
  open(token: string, binding: Binding): Promise<JsonObject>;
  /** Like `open`, with the id and expiry of the token. */
  openToken(token: string, binding: Binding): Promise<OpenedToken>;
}

/** The content of a token that `open` has accepted. */
export interface OpenedToken {
  readonly payload: JsonObject;
  /** Unique per token. */
  readonly id: string;
  /** In ms since 1970. */
  readonly expiresAt: number;
}

interface TokenContent {
  issuedAt: number;
  expiresAt: number;
  payload: JsonObject;
}

const version = "1";
const ivBytes = 12;
const tagBytes = 16;
/** The size of the JSON around the payload. */
const wrapperBytes = 128;
const maxKeyIdLength = 32;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Creates the error for every token that does not open; it does not reveal the reason.
 *
 * @example
 * import { invalidRequestState } from "@lethe/server/edge";
 *
 * console.log(invalidRequestState().code); // -32602
 */
export function invalidRequestState(): McpError {
  return invalidParams("invalid or expired requestState");
}

/**
 * Creates a seal that encrypts state with AES-256-GCM and binds it to caller, method, target and arguments. The nonce has 96 random
 * bits: rotate a key before it has sealed 2^32 tokens. A token reads `version.keyId.nonce-and-ciphertext`.
 *
 * @example
 * import { createSeal } from "@lethe/server/edge";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const seal = createSeal(createKeyRing(`k1:${"A".repeat(43)}`), { server: "tracker" });
 * const binding = { callerId: "ann", method: "tools/call", target: "resolve", arguments: "{}" };
 * const token = await seal.seal({ round: 1 }, binding);
 * console.log(await seal.open(token, binding)); // { round: 1 }
 */
export function createSeal(ring: KeyRing, options: SealOptions): Seal {
  checkOptions("createSeal", options, knownSealOptions);
  const { server, ttlMs = 600_000, maxBytes = 65_536, now = Date.now } = options;
  let onEphemeral = ring.isEphemeral ? options.onEphemeral : undefined;
  const maxSealedBytes = ivBytes + maxBytes + wrapperBytes + tagBytes;
  const maxTokenLength = version.length + maxKeyIdLength + 2 + Math.ceil((maxSealedBytes * 4) / 3);

  async function seal(payload: JsonObject, binding: Binding): Promise<string> {
    const issuedAt = now();
    const head = `{"issuedAt":${issuedAt},"expiresAt":${issuedAt + ttlMs},"payload":`;
    const text = encoder.encode(`${head}${JSON.stringify(payload)}}`);
    const size = text.length - head.length - 1;
    if (size > maxBytes) throw new RangeError(`sealed state: at most ${maxBytes} bytes expected, got ${size}`);
    const iv = globalThis.crypto.getRandomValues(new Uint8Array(ivBytes));
    const algorithm = { name: "AES-GCM", iv, additionalData: toAdditionalData(server, ring.first, binding) };
    const sealed = await globalThis.crypto.subtle.encrypt(algorithm, await ring.first.cryptoKey(), text);
    const bytes = new Uint8Array(ivBytes + sealed.byteLength);
    bytes.set(iv);
    bytes.set(new Uint8Array(sealed), ivBytes);
    onEphemeral?.();
    onEphemeral = undefined;
    return `${version}.${ring.first.id}.${toBase64url(bytes)}`;
  }

  async function open(token: string, binding: Binding): Promise<JsonObject> {
    return (await openToken(token, binding)).payload;
  }

  async function openToken(token: string, binding: Binding): Promise<OpenedToken> {
    if (token.length > maxTokenLength) throw invalidRequestState();
    const [tokenVersion, keyId, body, ...rest] = token.split(".", 4);
    const key = keyId === undefined ? undefined : ring.find(keyId);
    const bytes = body === undefined ? undefined : fromBase64url(body);
    if (tokenVersion !== version || !key || !bytes || rest.length > 0) throw invalidRequestState();
    const content = await decrypt(bytes, key, binding);
    const time = now();
    if (time >= content.expiresAt || time >= content.issuedAt + ttlMs) throw invalidRequestState();
    const { payload, expiresAt } = content;
    return { payload, id: toBase64url(bytes.subarray(0, ivBytes)), expiresAt };
  }

  async function decrypt(bytes: Uint8Array<ArrayBuffer>, key: RingKey, binding: Binding): Promise<TokenContent> {
    const iv = bytes.subarray(0, ivBytes);
    const algorithm = { name: "AES-GCM", iv, additionalData: toAdditionalData(server, key, binding) };
    try {
      const data = bytes.subarray(ivBytes);
      const text = await globalThis.crypto.subtle.decrypt(algorithm, await key.cryptoKey(), data);
      return toTokenContent(JSON.parse(decoder.decode(text)));
    } catch {
      throw invalidRequestState();
    }
  }

  return { seal, open, openToken };
}

/** A JSON array separates its parts unambiguously. */
function toAdditionalData(server: string, key: RingKey, binding: Binding): Uint8Array<ArrayBuffer> {
  const { callerId = null, method, target } = binding;
  return encoder.encode(
    JSON.stringify(["lethe", version, key.id, server, callerId, method, target, binding.arguments]),
  );
}

/** A holder of the key wrote it, but perhaps for another purpose. */
function toTokenContent(value: unknown): TokenContent {
  if (!isJsonObject(value) || !isJsonObject(value.payload)) throw invalidRequestState();
  if (typeof value.issuedAt !== "number" || typeof value.expiresAt !== "number") throw invalidRequestState();
  return value as unknown as TokenContent;
}

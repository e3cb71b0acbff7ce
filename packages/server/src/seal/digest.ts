// Digests of JSON values, independent of member order, for the binding of tokens and the identity of input requests.
import { toBase64url } from "./base64url.ts";

const encoder = new TextEncoder();

/**
 * Returns the SHA-256 of the canonical JSON text, as base64url. Equal JSON values have equal digests.
 *
 * @example
 * import { digestOf } from "@lethe/server/edge";
 *
 * console.log((await digestOf({ a: 1, b: 2 })) === (await digestOf({ b: 2, a: 1 }))); // true
 */
export function digestOf(value: unknown): Promise<string> {
  return digestOfText(toCanonicalJson(value));
}

async function digestOfText(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", encoder.encode(text));
  return toBase64url(new Uint8Array(digest));
}

export interface DigestMemoryOptions {
  /** Default 500. */
  maxTexts?: number;
  /** Longer texts are not cached. Default 4,096 characters. */
  maxLength?: number;
}

/** Digests texts with a cache: most input requests repeat the same text. */
export function createDigestMemory(options: DigestMemoryOptions = {}): (text: string) => Promise<string> {
  const { maxTexts = 500, maxLength = 4096 } = options;
  const known = new Map<string, Promise<string>>();
  return (text) => {
    const digest = known.get(text) ?? digestOfText(text);
    if (text.length > maxLength || known.has(text)) return digest;
    known.set(text, digest);
    for (const oldest of known.keys()) {
      if (known.size <= maxTexts) break;
      known.delete(oldest);
    }
    return digest;
  };
}

/**
 * Returns JSON text with members in the order of their UTF-16 code units, without members that JSON leaves out.
 *
 * @example
 * import { toCanonicalJson } from "@lethe/server/edge";
 *
 * console.log(toCanonicalJson({ b: 2, a: 1 })); // {"a":1,"b":2}
 */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = (value as { [key: string]: unknown })[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${toCanonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}

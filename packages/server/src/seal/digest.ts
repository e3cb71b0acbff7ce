// One digest for one JSON value, however its members are ordered: what a token is bound to, and what tells a question.
import { toBase64url } from "./base64url.ts";

const encoder = new TextEncoder();

/** SHA-256 of the canonical JSON text, as base64url. Equal JSON values have equal digests. */
export async function digestOf(value: unknown): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", encoder.encode(toCanonicalJson(value)));
  return toBase64url(new Uint8Array(digest));
}

/** JSON text with members in the order of their UTF-16 code units. What JSON leaves out is left out here too. */
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

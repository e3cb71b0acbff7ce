// How a text travels in an HTTP header value (B.5): as it is when it is plain, else in a base64 sentinel.
import { headerMismatch, invalidParams } from "../jsonrpc/error.ts";

const prefix = "=?base64?";
const suffix = "?=";

const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** Sender and receiver agree on printable ASCII; an inner tab is legal in HTTP, so a receiver takes it too. */
const illegal = /[^\t\x20-\x7e]/;
const loneSurrogate = /\p{Surrogate}/u;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** B-61. Throws McpError -32602 for a lone surrogate: no header can carry it, so no header could match the body. */
export function encodeHeaderValue(text: string): string {
  if (plain.test(text) && !(text.startsWith(prefix) && text.endsWith(suffix))) return text;
  if (loneSurrogate.test(text)) throw invalidParams("a lone surrogate cannot travel in an HTTP header");
  let binary = "";
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte);
  return prefix + btoa(binary) + suffix;
}

/**
 * The text that a header value stands for. Space and tab around it do not count (B-30). Strict: throws McpError -32020
 * for characters that a header may not hold and for broken base64 or UTF-8 in a sentinel (B-63).
 */
export function decodeHeaderValue(value: string): string {
  if (plain.test(value) && !value.startsWith(prefix)) return value;
  const text = trimFieldValue(value);
  if (illegal.test(text)) throw headerMismatch("a header value holds illegal characters");
  if (text.length < prefix.length + suffix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return text;
  return decodeBase64(text.slice(prefix.length, -suffix.length));
}

/** RFC 9110 optional whitespace is space and tab, which is less than `trim()` takes (J-42). */
export function trimFieldValue(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function decodeBase64(base64: string): string {
  try {
    const binary = atob(base64);
    // atob forgives white space, missing padding and stray bits; only what encodes back to itself is standard base64.
    if (btoa(binary) === base64) return decoder.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    // The one error below says it for every way in which the value is broken.
  }
  throw headerMismatch("a header value holds broken base64 or UTF-8");
}

// Text in HTTP header values (B.5): printable ASCII stays as it is, any other text becomes a base64 sentinel.
import { headerMismatch, invalidParams } from "../jsonrpc/error.ts";

const prefix = "=?base64?";
const suffix = "?=";

const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** Senders write printable ASCII only. A receiver accepts inner tabs too, which are legal in HTTP. */
const illegal = /[^\t\x20-\x7e]/;
const loneSurrogate = /\p{Surrogate}/u;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// B-61
/** Encodes text for a header value. Throws McpError -32602 for a lone surrogate, which no header can represent. */
export function encodeHeaderValue(text: string): string {
  if (plain.test(text) && !(text.startsWith(prefix) && text.endsWith(suffix))) return text;
  if (loneSurrogate.test(text)) throw invalidParams("a lone surrogate cannot travel in an HTTP header");
  let binary = "";
  for (const byte of encoder.encode(text)) binary += String.fromCharCode(byte);
  return prefix + btoa(binary) + suffix;
}

// B-30, B-63
/**
 * Decodes a header value. Ignores spaces and tabs around it. Throws McpError -32020 for illegal characters, and for invalid
 * base64 or UTF-8 in a sentinel.
 */
export function decodeHeaderValue(value: string): string {
  if (plain.test(value) && !value.startsWith(prefix)) return value;
  const text = trimFieldValue(value);
  if (illegal.test(text)) throw headerMismatch("a header value holds illegal characters");
  if (text.length < prefix.length + suffix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return text;
  return decodeBase64(text.slice(prefix.length, -suffix.length));
}

// J-42
/** Removes optional whitespace of RFC 9110: spaces and tabs only, unlike `trim()`. */
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
    // atob accepts whitespace, missing padding and stray bits. Only a value that encodes back to itself is standard base64.
    if (btoa(binary) === base64) return decoder.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    // The error below covers every kind of invalid value.
  }
  throw headerMismatch("a header value holds broken base64 or UTF-8");
}

// Base64url without padding (RFC 4648 section 5), decoded strictly: each sequence of bytes has exactly one text.

const alphabet = /^[A-Za-z0-9_-]*$/;
const chunkSize = 8192;

export function toBase64url(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += chunkSize) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Undefined unless `toBase64url` could have written the text: unused bits of the last character must be zero. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!alphabet.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return toBase64url(bytes) === text ? bytes : undefined;
}

// Ids that nobody can guess and no two processes make: of sessions, streams and questions.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/** 16 characters: 96 bits. */
export function randomId(): string {
  let id = "";
  for (const byte of globalThis.crypto.getRandomValues(new Uint8Array(16))) id += alphabet[byte & 63];
  return id;
}

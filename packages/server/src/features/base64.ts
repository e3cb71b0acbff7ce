// Encodes bytes as base64 on any runtime: `Uint8Array.prototype.toBase64` where it exists, otherwise btoa.

const chunkBytes = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as { toBase64?: () => string }).toBase64;
  if (native !== undefined) return native.call(bytes);
  let binary = "";
  // In chunks, because the number of arguments of one call is limited.
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(binary);
}

// Bytes to base64 on any runtime: `Uint8Array.prototype.toBase64` where it exists, else btoa.

const chunkBytes = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as { toBase64?: () => string }).toBase64;
  if (native !== undefined) return native.call(bytes);
  let binary = "";
  // In chunks, for the arguments of one call are limited in number.
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(binary);
}

// Keeps the last bytes of a stream in constant memory.

export interface ByteTail {
  push(chunk: Uint8Array): void;
  /** As UTF-8, without a character that the limit cut in two. */
  text(): string;
}

export function createByteTail(maxBytes: number): ByteTail {
  let ring: Uint8Array | undefined;
  let total = 0;

  function push(chunk: Uint8Array): void {
    ring ??= new Uint8Array(maxBytes);
    const kept = chunk.length > maxBytes ? chunk.subarray(chunk.length - maxBytes) : chunk;
    const start = (total + chunk.length - kept.length) % maxBytes;
    const first = kept.subarray(0, maxBytes - start);
    ring.set(first, start);
    ring.set(kept.subarray(first.length), 0);
    total += chunk.length;
  }

  function text(): string {
    if (!ring) return "";
    if (total <= maxBytes) return Buffer.from(ring.buffer, 0, total).toString("utf8");
    const start = total % maxBytes;
    const bytes = Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
    let cut = 0;
    while (cut < 3 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
    return bytes.toString("utf8", cut);
  }

  return { push, text };
}

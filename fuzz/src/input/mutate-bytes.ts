// Mutates a byte string in a few random places, and splits it into chunks.
import type { Random } from "./random.ts";

const words = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  ":",
  " ",
  "chunked",
  "Content-Length: 99999\r\n",
  "0\r\n\r\n",
  "HTTP/1.1",
  "//",
  "%",
].map((word) => Buffer.from(word));

export function mutateBytes(bytes: Buffer, random: Random, times: number): Buffer {
  let changed = bytes;
  for (let count = 0; count < times; count++) changed = mutateOnce(changed, random);
  return changed;
}

function mutateOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.below(16));
  switch (random.below(6)) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.below(256);
      return copy;
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), random.pick(words), bytes.subarray(at)]);
    case 4:
      return bytes.subarray(0, at);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(1 + random.below(64), random.below(256)),
        bytes.subarray(end),
      ]);
  }
}

/** Splits `bytes` into at most `most` pieces. */
export function cut(bytes: Buffer, random: Random, most: number): Buffer[] {
  const places = Array.from({ length: random.below(most) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

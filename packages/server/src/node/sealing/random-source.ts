// Random bytes for each message that is sealed. Asking for them once for many messages costs a tenth of asking each time.
import { randomFillSync } from "node:crypto";

const valuesAtOnce = 256;

/** Returns a function that returns `size` random bytes, never the same ones again. They stay valid until the next call. */
export function createRandomSource(size: number): () => Uint8Array {
  const values = Buffer.alloc(size * valuesAtOnce);
  let at = values.length;
  return () => {
    if (at === values.length) {
      randomFillSync(values);
      at = 0;
    }
    at += size;
    return values.subarray(at - size, at);
  };
}

// Reads the body of a response up to a limit.

export interface ReadBody {
  readonly bytes: Uint8Array;
  /** False if the body was longer than the limit. The rest was not read. */
  readonly isComplete: boolean;
}

export async function readBody(response: Response, maxBytes: number): Promise<ReadBody> {
  if (!response.body) return { bytes: new Uint8Array(), isComplete: true };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return { bytes: joined(chunks, length), isComplete: true };
    const room = maxBytes - length;
    chunks.push(value.subarray(0, room));
    length += Math.min(value.length, room);
    if (value.length <= room) continue;
    // The reason of a connection that ends while it is cancelled says nothing new.
    await reader.cancel().catch(() => undefined);
    return { bytes: joined(chunks, length), isComplete: false };
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

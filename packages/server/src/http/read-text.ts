// Reads the body of a web Request as text, within bounds of size and time.

export interface ReadLimits {
  maxBytes: number;
  timeoutMs: number;
}

export type ReadOutcome = { text: string } | "too large" | "too slow";

export async function readText(body: ReadableStream<Uint8Array> | null, limits: ReadLimits): Promise<ReadOutcome> {
  if (!body) return { text: "" };
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, limits.timeoutMs);
  try {
    const text = await readWithin(reader, limits.maxBytes);
    if (isLate) return "too slow";
    return text === undefined ? "too large" : { text };
  } finally {
    clearTimeout(timer);
  }
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, max: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > max) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

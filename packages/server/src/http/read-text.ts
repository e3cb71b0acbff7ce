// Reads the body of a web Request as text, within bounds of size and time.

export interface ReadLimits {
  maxBytes: number;
  timeoutMs: number;
}

const lengthText = /^\d+$/;

export type ReadOutcome = { text: string } | "too large" | "too slow";

/**
 * A body of known length is read in one piece, which platforms do several times as fast as a stream of pieces. HTTP itself
 * sees to it that no more comes, and that the length is within the limit was checked before.
 */
export function readText(request: Request, limits: ReadLimits): Promise<ReadOutcome> {
  if (lengthText.test(request.headers.get("content-length") ?? "")) return readWhole(request, limits.timeoutMs);
  return request.body ? readPieces(request.body, limits) : Promise.resolve({ text: "" });
}

async function readWhole(request: Request, timeoutMs: number): Promise<ReadOutcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"too slow">((resolve) => {
    timer = setTimeout(resolve, timeoutMs, "too slow");
  });
  try {
    return await Promise.race([request.text().then((text) => ({ text })), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readPieces(body: ReadableStream<Uint8Array>, limits: ReadLimits): Promise<ReadOutcome> {
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

// Reads the body of a web Request as text, within limits of size and time.
import { ByteBuilder, smallBytes } from "@lethe/protocol";

export interface ReadLimits {
  maxBytes: number;
  timeoutMs: number;
  /** Called with the bytes held of a body that is not small. Returns false to stop reading. */
  onHeld?(bytes: number): boolean;
}

const lengthText = /^\d+$/;
/** Larger bodies are not left to the platform: some platforms keep an array per piece, and a piece may be one byte. */
const maxWholeBytes = 64 * 1024;

export type ReadOutcome = { text: string } | "too large" | "too slow";

/**
 * Reads a short body of known length in one piece, which is several times faster than a stream. HTTP guarantees that no more bytes
 * arrive, and the caller has checked the length.
 */
export function readText(request: Request, limits: ReadLimits): Promise<ReadOutcome> {
  const length = request.headers.get("content-length") ?? "";
  if (lengthText.test(length) && Number(length) <= maxWholeBytes) return readWhole(request, limits.timeoutMs);
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
    const text = await readWithin(reader, limits);
    if (isLate) return "too slow";
    return text === undefined ? "too large" : { text };
  } finally {
    clearTimeout(timer);
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxBytes, onHeld }: ReadLimits,
): Promise<string | undefined> {
  const body = new ByteBuilder(maxBytes);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(body.bytes());
    const length = body.length + value.byteLength;
    if (length > maxBytes || (length >= smallBytes && onHeld?.(length) === false)) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    body.append(value);
  }
}

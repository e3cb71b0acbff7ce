// The answer to a request over node:http: its body as one text, or chunk by chunk with back-pressure.
import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { CancelSignal } from "../call/cancel-signal.ts";
import { TransportError } from "../call/transport-error.ts";
import type { HttpAnswer } from "../http/http-send.ts";

/** How long the rest of a discarded body may take before its socket is closed, in milliseconds. */
const discardMs = 1000;
/** Chunks that wait for a slow reader before the socket is paused. */
const maxWaiting = 16;

export function createNodeAnswer(message: IncomingMessage, signal: CancelSignal | undefined): HttpAnswer {
  return {
    status: message.statusCode ?? 0,
    headers: (name) => {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    text: (maxBytes) => readText(message, signal, maxBytes),
    chunks: () => readChunks(message, signal),
    discard: () => discard(message),
  };
}

function readText(message: IncomingMessage, signal: CancelSignal | undefined, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    if (isCutOff(message)) {
      reject(reasonOf(undefined, signal));
      return;
    }
    const parts: Buffer[] = [];
    let size = 0;
    message.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.byteLength;
      if (size <= maxBytes) return;
      reject(new TransportError("too_large", `the answer is larger than ${maxBytes} bytes`));
      message.destroy();
    });
    message.on("end", () => resolve((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString()));
    message.on("error", (error) => reject(reasonOf(error, signal)));
  });
}

function readChunks(message: IncomingMessage, signal: CancelSignal | undefined): AsyncIterator<string, undefined> {
  const decoder = new StringDecoder();
  const waiting: string[] = [];
  let isOver = false;
  let failure: { reason: unknown } | undefined = isCutOff(message)
    ? { reason: reasonOf(undefined, signal) }
    : undefined;
  let wake: (() => void) | undefined;

  function notice(): void {
    wake?.();
    wake = undefined;
  }

  message.on("data", (part: Buffer) => {
    const text = decoder.write(part);
    if (text === "") return;
    waiting.push(text);
    if (waiting.length >= maxWaiting) message.pause();
    notice();
  });
  message.on("end", () => {
    isOver = true;
    notice();
  });
  message.on("error", (error) => {
    failure = { reason: reasonOf(error, signal) };
    notice();
  });

  return {
    async next() {
      while (waiting.length === 0 && !isOver && !failure) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = waiting.shift();
      if (value !== undefined) {
        if (waiting.length === 0) message.resume();
        return { done: false, value };
      }
      if (failure) throw failure.reason;
      return { done: true, value: undefined };
    },
    async return() {
      isOver = true;
      message.destroy();
      notice();
      return { done: true, value: undefined };
    },
  };
}

/** The socket may go between the head of an answer and the reading of its body; no event comes after that. */
function isCutOff(message: IncomingMessage): boolean {
  return message.destroyed && !message.readableEnded;
}

function reasonOf(error: Error | undefined, signal: CancelSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : (error ?? new Error("aborted"));
}

/** What is on its way already is read, so that the socket can serve another request; then the socket is closed. */
function discard(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return;
  message.removeAllListeners("data");
  message.on("error", ignore);
  const timer = setTimeout(() => message.destroy(), discardMs);
  timer.unref();
  message.on("close", () => clearTimeout(timer));
  message.resume();
}

function ignore(): void {
  // The body is given up: whatever goes wrong with it now is nobody's concern.
}

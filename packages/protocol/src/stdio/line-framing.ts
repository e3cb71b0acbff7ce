// Newline-delimited JSON on a byte stream (C-1): one message per line.
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { ByteBuilder } from "./byte-builder.ts";

/** A message, or its JSON text, as one line with its line end. Throws Error for text with a line break. */
export function toLine(message: JsonRpcMessage | string): string {
  if (typeof message !== "string") return `${withoutSeparators(JSON.stringify(message))}\n`;
  if (message.includes("\n")) throw new Error("a message on a byte stream must be one line");
  return `${withoutSeparators(message)}\n`;
}

/** Some readers end a line at these characters, such as `node:readline`. In JSON they occur only in strings. */
function withoutSeparators(json: string): string {
  if (!json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Options of a line decoder. */
export interface LineDecoderOptions {
  /** Longer lines are dropped. Excludes the line end. Default 16 MiB. */
  maxLineBytes?: number;
  /** Called with each line, without its line end. */
  onLine(text: string): void;
  /** Called once at the end of each dropped line. */
  onTooLong(bytes: number): void;
}

/** An incremental decoder of one byte stream. */
export interface LineDecoder {
  /** Copies from `chunk`, so the caller may reuse its memory. */
  push(chunk: Uint8Array): void;
  /** The size of the unfinished line in memory, in bytes. */
  readonly heldBytes: number;
  /** Drops the unfinished line. `onTooLong` reports it at its end. */
  dropLine(): void;
  /** Call at the end of the stream. Delivers a last line without line end. */
  end(): void;
}

const defaultMaxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** Creates the decoder of one byte stream. */
export function createLineDecoder(options: LineDecoderOptions): LineDecoder {
  const { maxLineBytes = defaultMaxLineBytes, onLine, onTooLong } = options;
  const decoder = new TextDecoder();
  const held = new ByteBuilder(maxLineBytes);
  /** The size of the unfinished line, in bytes. Above the limit the line is being dropped, and `held` is empty. */
  let length = 0;

  function push(chunk: Uint8Array): void {
    let start = 0;
    let end = chunk.indexOf(lineFeed);
    while (end !== -1) {
      if (length === 0 && end - start <= maxLineBytes) read(chunk, start, end);
      else {
        hold(chunk, start, end);
        finish();
      }
      start = end + 1;
      end = chunk.indexOf(lineFeed, start);
    }
    if (start < chunk.length) hold(chunk, start, chunk.length);
  }

  function hold(chunk: Uint8Array, start: number, end: number): void {
    length += end - start;
    if (length > maxLineBytes) held.clear();
    else held.append(chunk.subarray(start, end));
  }

  function finish(): void {
    const bytes = length;
    length = 0;
    if (bytes > maxLineBytes) onTooLong(bytes);
    else {
      // Cleared before delivery, so that a receiver that throws leaves no bytes behind.
      const line = held.bytes();
      held.clear();
      read(line, 0, bytes);
    }
  }

  function read(bytes: Uint8Array, start: number, end: number): void {
    const last = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (last === start) return;
    const text = decoder.decode(bytes.subarray(start, last));
    if ((bytes[start] ?? 0) > space || text.trim() !== "") onLine(text);
  }

  function dropLine(): void {
    if (length === 0) return;
    length = Math.max(length, maxLineBytes + 1);
    held.clear();
  }

  function end(): void {
    if (length > 0) finish();
  }

  return {
    push,
    get heldBytes() {
      return held.length;
    },
    dropLine,
    end,
  };
}

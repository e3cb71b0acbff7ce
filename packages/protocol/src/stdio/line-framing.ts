// Newline-delimited JSON on a byte stream (C-1): one message per line, in both directions.
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { ByteBuilder } from "./byte-builder.ts";

/** The line of a message, or of its ready JSON text, with its line end. Throws for a text of more than one line. */
export function toLine(message: JsonRpcMessage | string): string {
  if (typeof message !== "string") return `${withoutSeparators(JSON.stringify(message))}\n`;
  if (message.includes("\n")) throw new Error("a message on a byte stream must be one line");
  return `${withoutSeparators(message)}\n`;
}

/** To some readers they end a line, as to `node:readline` of newer Node. In JSON only strings hold them. */
function withoutSeparators(json: string): string {
  if (!json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

export interface LineDecoderOptions {
  /** A longer line is dropped, whole. Default 16 MiB; the line end does not count. */
  maxLineBytes?: number;
  onLine(text: string): void;
  /** A line was dropped; called once, where the line ends. */
  onTooLong(bytes: number): void;
}

export interface LineDecoder {
  /** Takes what it needs out of `chunk`: the caller may use its memory again. */
  push(chunk: Uint8Array): void;
  /** The bytes of the unfinished line that are in memory. */
  readonly heldBytes: number;
  /** Drops the unfinished line; `onTooLong` reports it where it ends. */
  dropLine(): void;
  /** The stream has ended: a last line without its line end counts. */
  end(): void;
}

const defaultMaxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

export function createLineDecoder(options: LineDecoderOptions): LineDecoder {
  const { maxLineBytes = defaultMaxLineBytes, onLine, onTooLong } = options;
  const decoder = new TextDecoder();
  const held = new ByteBuilder(maxLineBytes);
  /** The bytes of the unfinished line. More than the bound means that the line is being dropped; `held` is empty then. */
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
      // Cleared before the line is delivered: a receiver that throws must not leave it behind.
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

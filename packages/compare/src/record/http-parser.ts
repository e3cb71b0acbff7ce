// Reads one direction of an HTTP/1.1 connection (RFC 9112) from bytes that are split anywhere, as evidence: header lines keep
// their spelling and order, and every byte is handed on exactly as it came, so that a proxy can pass it.
import type { Header } from "./recording.ts";

export interface Head {
  /** The request line or the status line. */
  readonly line: string;
  readonly headers: readonly Header[];
}

export interface HttpParserOptions {
  /** For a response: the verb of its request, because an answer to HEAD has no body. Absent for requests. */
  verbOf?(): string | undefined;
  onHead(head: Head, raw: Uint8Array): void;
  /** `content` is what a piece of the body says, without framing; it may be empty. */
  onBody(content: Uint8Array, raw: Uint8Array): void;
  /** The message is complete. */
  onEnd(): void;
  /** Default 256 KiB. */
  maxHeadBytes?: number;
}

export interface HttpParser {
  /** Throws HttpFormatError; what was handed on before stays handed on, and `rest` of the error is what was not. */
  push(chunk: Uint8Array): void;
  /** The stream has ended: completes a body that ends with the connection. True when that leaves no message half read. */
  end(): boolean;
}

/** What is not HTTP/1.1. `rest` holds the bytes that nobody has got yet. */
export class HttpFormatError extends Error {
  readonly rest: Uint8Array;

  constructor(message: string, rest: Uint8Array) {
    super(message);
    this.name = "HttpFormatError";
    this.rest = rest;
  }
}

type State = "head" | "length" | "chunk-size" | "chunk-data" | "chunk-end" | "trailers" | "until-close";

const empty = new Uint8Array(0);
const maxLineBytes = 16_384;

export function createHttpParser(options: HttpParserOptions): HttpParser {
  const { verbOf, onHead, onBody, onEnd, maxHeadBytes = 256 * 1024 } = options;
  let state: State = "head";
  let held: Buffer = Buffer.alloc(0);
  /** `held` is its end. Doubled when it is full, so that a head in many small pieces is not copied again with each piece. */
  let store: Buffer = held;
  let filled = 0;
  /** So many bytes of `held` were searched for the end of a head. */
  let searched = 0;
  /** Bytes of the body, or of the chunk, that are still to come. */
  let left = 0;

  function push(chunk: Uint8Array): void {
    hold(chunk);
    while (held.length > 0 && step());
  }

  /** Never overwrites what was handed on, which lies before `held`. */
  function hold(chunk: Uint8Array): void {
    const length = held.length + chunk.length;
    if (held.length === 0) {
      store = Buffer.from(chunk);
      filled = 0;
    } else {
      if (filled + chunk.length > store.length) {
        store = Buffer.allocUnsafe(2 * length);
        filled = held.copy(store);
      }
      store.set(chunk, filled);
    }
    filled += chunk.length;
    held = store.subarray(filled - length, filled);
  }

  /** False when more bytes are needed. */
  function step(): boolean {
    switch (state) {
      case "head":
        return readHead();
      case "until-close":
        give(held.length, true);
        return false;
      case "length":
      case "chunk-data":
        return readData();
      default:
        return readLine();
    }
  }

  function readHead(): boolean {
    // An empty line before a request is to be overlooked (RFC 9112, 2.2), but it still has to cross.
    const blank = held[0] === 0x0d && held[1] === 0x0a ? 2 : 0;
    const end = held.indexOf("\r\n\r\n", Math.max(blank, searched - 3));
    searched = end === -1 ? held.length : 0;
    if (end === -1) {
      if (held.length > maxHeadBytes) throw fail(`a head of more than ${maxHeadBytes} bytes`);
      return false;
    }
    const raw = held.subarray(0, end + 4);
    const head = parseHead(raw.toString("latin1", blank, end));
    if (!head) throw fail("no HTTP/1.1 head");
    const status = verbOf ? Number(head.line.split(" ")[1]) : undefined;
    const next = bodyOf(head, status);
    held = held.subarray(end + 4);
    onHead(head, raw);
    if (next === "none") {
      // 1xx is not the answer yet, except that 101 turns the connection into something else.
      if (status === 101) state = "until-close";
      else if (status === undefined || status >= 200) onEnd();
    } else state = next;
    return true;
  }

  function bodyOf({ headers }: Head, status: number | undefined): "none" | State {
    if (status !== undefined && (status < 200 || status === 204 || status === 304 || verbOf?.() === "HEAD"))
      return "none";
    const coding = headerOf(headers, "transfer-encoding");
    if (coding !== undefined && /(?:^|,)\s*chunked\s*$/i.test(coding)) return "chunk-size";
    const length = headerOf(headers, "content-length");
    if (length === undefined) return status === undefined ? "none" : "until-close";
    if (!/^\d{1,15}$/.test(length.trim())) throw fail(`a content-length of ${JSON.stringify(length)}`);
    left = Number(length);
    return left === 0 ? "none" : "length";
  }

  function readData(): boolean {
    const taken = Math.min(left, held.length);
    left -= taken;
    give(taken, true);
    if (left > 0) return false;
    if (state === "chunk-data") state = "chunk-end";
    else finish();
    return true;
  }

  function readLine(): boolean {
    const end = held.indexOf("\r\n");
    if (end === -1) {
      if (held.length > maxLineBytes) throw fail("an endless line in a chunked body");
      return false;
    }
    const line = held.toString("latin1", 0, end);
    if (state === "chunk-size") {
      const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1];
      if (size === undefined) throw fail("a chunk without its size");
      left = Number.parseInt(size, 16);
      state = left === 0 ? "trailers" : "chunk-data";
    } else if (state === "chunk-end") {
      if (line !== "") throw fail("a chunk that is longer than it said");
      state = "chunk-size";
    } else if (line === "") {
      give(2, false);
      finish();
      return true;
    }
    give(end + 2, false);
    return true;
  }

  function give(bytes: number, isContent: boolean): void {
    const raw = held.subarray(0, bytes);
    held = held.subarray(bytes);
    onBody(isContent ? raw : empty, raw);
  }

  function finish(): void {
    state = "head";
    onEnd();
  }

  function fail(what: string): HttpFormatError {
    const rest = held;
    held = Buffer.alloc(0);
    return new HttpFormatError(what, rest);
  }

  return {
    push,
    end() {
      const isComplete = state === "until-close" || (state === "head" && held.length === 0);
      if (state === "until-close") finish();
      return isComplete;
    },
  };
}

/** Names are compared without case; undefined when there is none. */
export function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

function parseHead(text: string): Head | undefined {
  const [line = "", ...rest] = text.split("\r\n");
  if (!/^(?:HTTP\/1\.[01] \d{3}(?: |$)|[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]$)/.test(line)) return undefined;
  const headers: Header[] = [];
  for (const field of rest) {
    const colon = field.indexOf(":");
    if (colon <= 0) return undefined;
    headers.push([field.slice(0, colon), field.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")]);
  }
  return { line, headers };
}

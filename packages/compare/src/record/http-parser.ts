// Parses one direction of an HTTP/1.1 connection (RFC 9112) from bytes that arrive in pieces of any size. Header lines keep their
// spelling and order, and every byte is passed on as received, so that a proxy can forward it.
import type { Header } from "./recording.ts";

export interface Head {
  /** The request line or the status line. */
  readonly line: string;
  readonly headers: readonly Header[];
}

export interface HttpParserOptions {
  /** Responses only: returns the verb of the request, because a response to HEAD has no body. */
  verbOf?(): string | undefined;
  onHead(head: Head, raw: Uint8Array): void;
  /** `content` is a piece of the body without its framing, and may be empty. `raw` is the piece as it was received. */
  onBody(content: Uint8Array, raw: Uint8Array): void;
  /** Called when the message is complete. */
  onEnd(): void;
  /** Bytes of one head. Default 256 KiB. */
  maxHeadBytes?: number;
}

export interface HttpParser {
  /** Throws an HttpFormatError for anything but HTTP/1.1. Its `rest` holds the bytes that no callback has received. */
  push(chunk: Uint8Array): void;
  /**
   * Called at the end of the stream. Completes a body that ends with the connection. Returns false if a message is still
   * incomplete.
   */
  end(): boolean;
}

/** Thrown for bytes that are not HTTP/1.1. `rest` holds the bytes that no callback has received. */
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
  return new Http1Parser(options);
}

class Http1Parser implements HttpParser {
  readonly #options: HttpParserOptions;
  readonly #maxHeadBytes: number;
  #state: State = "head";
  /** Received bytes that are not parsed yet. */
  #held: Buffer = Buffer.alloc(0);
  /** The buffer that `#held` is the end of. It doubles when full, so that many small pieces are not copied each time. */
  #store: Buffer = this.#held;
  #filled = 0;
  /** Bytes of `#held` already searched for the end of a head. */
  #searched = 0;
  /** Bytes of the body, or of the chunk, that are still missing. */
  #left = 0;

  constructor(options: HttpParserOptions) {
    this.#options = options;
    this.#maxHeadBytes = options.maxHeadBytes ?? 256 * 1024;
  }

  push(chunk: Uint8Array): void {
    this.#hold(chunk);
    while (this.#held.length > 0 && this.#step());
  }

  end(): boolean {
    const isComplete = this.#state === "until-close" || (this.#state === "head" && this.#held.length === 0);
    if (this.#state === "until-close") this.#finish();
    return isComplete;
  }

  /** Never overwrites bytes that a callback has received: they lie before `#held`. */
  #hold(chunk: Uint8Array): void {
    const length = this.#held.length + chunk.length;
    if (this.#held.length === 0) {
      this.#store = Buffer.from(chunk);
      this.#filled = 0;
    } else {
      if (this.#filled + chunk.length > this.#store.length) {
        this.#store = Buffer.allocUnsafe(2 * length);
        this.#filled = this.#held.copy(this.#store);
      }
      this.#store.set(chunk, this.#filled);
    }
    this.#filled += chunk.length;
    this.#held = this.#store.subarray(this.#filled - length, this.#filled);
  }

  /** Returns false when more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case "head":
        return this.#readHead();
      case "until-close":
        this.#emit(this.#held.length, true);
        return false;
      case "length":
      case "chunk-data":
        return this.#readData();
      default:
        return this.#readLine();
    }
  }

  #readHead(): boolean {
    const held = this.#held;
    // RFC 9112, 2.2: a server ignores an empty line before a request. It is still forwarded.
    const blank = held[0] === 0x0d && held[1] === 0x0a ? 2 : 0;
    const end = held.indexOf("\r\n\r\n", Math.max(blank, this.#searched - 3));
    this.#searched = end === -1 ? held.length : 0;
    if (end === -1) {
      if (held.length > this.#maxHeadBytes) throw this.#fail(`a head of more than ${this.#maxHeadBytes} bytes`);
      return false;
    }
    const raw = held.subarray(0, end + 4);
    const head = parseHead(raw.toString("latin1", blank, end));
    if (!head) throw this.#fail("no HTTP/1.1 head");
    const status = this.#options.verbOf ? Number(head.line.split(" ")[1]) : undefined;
    const next = this.#bodyOf(head, status);
    this.#held = held.subarray(end + 4);
    this.#options.onHead(head, raw);
    if (next === "none") {
      // A 1xx response precedes the final one, except that 101 switches the connection to another protocol.
      if (status === 101) this.#state = "until-close";
      else if (status === undefined || status >= 200) this.#options.onEnd();
    } else this.#state = next;
    return true;
  }

  #bodyOf({ headers }: Head, status: number | undefined): "none" | State {
    const isBodiless = status !== undefined && (status < 200 || status === 204 || status === 304);
    if (isBodiless || (status !== undefined && this.#options.verbOf?.() === "HEAD")) return "none";
    const coding = headerOf(headers, "transfer-encoding");
    if (coding !== undefined && /(?:^|,)\s*chunked\s*$/i.test(coding)) return "chunk-size";
    const length = headerOf(headers, "content-length");
    if (length === undefined) return status === undefined ? "none" : "until-close";
    if (!/^\d{1,15}$/.test(length.trim())) throw this.#fail(`a content-length of ${JSON.stringify(length)}`);
    this.#left = Number(length);
    return this.#left === 0 ? "none" : "length";
  }

  #readData(): boolean {
    const taken = Math.min(this.#left, this.#held.length);
    this.#left -= taken;
    this.#emit(taken, true);
    if (this.#left > 0) return false;
    if (this.#state === "chunk-data") this.#state = "chunk-end";
    else this.#finish();
    return true;
  }

  #readLine(): boolean {
    const end = this.#held.indexOf("\r\n");
    if (end === -1) {
      if (this.#held.length > maxLineBytes) throw this.#fail("an endless line in a chunked body");
      return false;
    }
    const line = this.#held.toString("latin1", 0, end);
    if (this.#state === "chunk-size") this.#readChunkSize(line);
    else if (this.#state === "chunk-end") {
      if (line !== "") throw this.#fail("a chunk that is longer than its size");
      this.#state = "chunk-size";
    } else if (line === "") {
      this.#emit(2, false);
      this.#finish();
      return true;
    }
    this.#emit(end + 2, false);
    return true;
  }

  #readChunkSize(line: string): void {
    const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) throw this.#fail("a chunk without its size");
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk-data";
  }

  #emit(bytes: number, isContent: boolean): void {
    const raw = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    this.#options.onBody(isContent ? raw : empty, raw);
  }

  #finish(): void {
    this.#state = "head";
    this.#options.onEnd();
  }

  #fail(what: string): HttpFormatError {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return new HttpFormatError(what, rest);
  }
}

/** `name` is in lower case. Returns the value of the first such field. */
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

// The readers of a response body: its text as a whole, or its chunks with back-pressure.

import { StringDecoder } from "node:string_decoder";
import { ByteBuilder, type MemoryBudget } from "@lethe/protocol";
import type { LoopShare } from "../call/loop-share.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "../http/held-answer.ts";

/** Gets the parts of a body, then either its end or its failure. */
export interface BodyReader {
  data(part: Buffer): void;
  end(): void;
  fail(reason: unknown): void;
}

/** What a reader controls of its response. */
export interface BodySource {
  /** True while the socket is not read. */
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
  /** Closes the socket. The reader gets no further call. */
  abort(reason: unknown): void;
}

/** Characters that wait for a slow reader before the socket is paused. Little, since all of them are processed in one turn. */
export const maxWaitingCharacters: number = 16 * 1024;
/** The same in chunks, which a server can make as small as one character. */
export const maxWaitingChunks: number = 256;

export class TextReader implements BodyReader {
  readonly text: Promise<string>;
  readonly #source: BodySource;
  readonly #maxBytes: number;
  readonly #held: HeldAnswer | undefined;
  #resolve!: (text: string) => void;
  #reject!: (reason: unknown) => void;
  #first: Buffer | undefined;
  #joined: ByteBuilder | undefined;

  constructor(source: BodySource, maxBytes: number, memory: MemoryBudget | undefined) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#held = memory && new HeldAnswer(memory, "a body", () => this.#refuse(this.#held?.error));
    this.text = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  data(part: Buffer): void {
    const length = part.length + ((this.#joined ?? this.#first)?.length ?? 0);
    if (length > this.#maxBytes) {
      this.#refuse(new TransportError("too_large", `the answer is larger than ${this.#maxBytes} bytes`));
    } else if (this.#held && !this.#held.fits(length)) this.#refuse(this.#held.error);
    else if (this.#first === undefined) this.#first = part;
    else {
      this.#joined ??= new ByteBuilder(this.#maxBytes);
      if (this.#joined.length === 0) this.#joined.append(this.#first);
      this.#joined.append(part);
    }
  }

  end(): void {
    this.#held?.release();
    this.#resolve(this.#joined ? toText(this.#joined.bytes()) : (this.#first?.toString() ?? ""));
  }

  fail(reason: unknown): void {
    this.#held?.release();
    this.#reject(reason);
  }

  #refuse(reason: unknown): void {
    this.fail(reason);
    this.#source.abort(reason);
  }
}

export class ChunkReader implements BodyReader, AsyncIterator<string, undefined> {
  readonly #source: BodySource;
  readonly #share: LoopShare | undefined;
  readonly #decoder = new StringDecoder();
  #waiting = "";
  #chunks = 0;
  #isOver = false;
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource, share: LoopShare | undefined) {
    this.#source = source;
    this.#share = share;
  }

  data(part: Buffer): void {
    const text = this.#decoder.write(part);
    if (text === "") return;
    this.#waiting += text;
    this.#chunks += 1;
    if (this.#waiting.length >= maxWaitingCharacters || this.#chunks >= maxWaitingChunks) this.#source.pause();
    this.#notice();
  }

  end(): void {
    this.#isOver = true;
    this.#notice();
  }

  fail(reason: unknown): void {
    this.#failure = { reason };
    this.#notice();
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    while (this.#waiting === "" && !this.#isOver && !this.#failure) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#waiting !== "") {
      const value = this.#waiting;
      this.#waiting = "";
      this.#chunks = 0;
      this.#resume();
      return { done: false, value };
    }
    if (this.#failure) throw this.#failure.reason;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.#isOver = true;
    this.#source.abort(new Error("the reader of the body stopped"));
    this.#notice();
    return { done: true, value: undefined };
  }

  /** Parses what has arrived meanwhile. This takes as long as reading it. */
  #resume(): void {
    if (!this.#source.isPaused) return;
    const startedAt = performance.now();
    this.#source.resume();
    this.#share?.spend(startedAt);
  }

  #notice(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Reads the rest of a body that is not needed. */
export const ignoringReader: BodyReader = { data() {}, end() {}, fail() {} };

function toText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

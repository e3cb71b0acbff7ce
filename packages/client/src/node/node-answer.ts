// The answer to a request over node:http: its body as one text, or chunk by chunk with back-pressure.
import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { ByteBuilder, type MemoryBudget } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";
import type { LoopShare } from "../call/loop-share.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "../http/held-answer.ts";
import type { HttpAnswer } from "../http/http-send.ts";

/** How long the rest of a discarded body may take before its socket is closed, in milliseconds. */
const discardMs = 1000;
/** Characters that wait for a slow reader before the socket is paused. Little, since all of them are processed in one turn. */
const maxWaitingCharacters = 16 * 1024;
/** The same in chunks, which a server can make as small as one character. */
const maxWaitingChunks = 256;

export class NodeAnswer implements HttpAnswer {
  readonly #message: IncomingMessage;
  readonly #signal: CancelSignal | undefined;

  constructor(message: IncomingMessage, signal: CancelSignal | undefined) {
    this.#message = message;
    this.#signal = signal;
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  headers(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  text(maxBytes: number, memory?: MemoryBudget): Promise<string> {
    const message = this.#message;
    return new Promise((resolve, reject) => {
      if (isCutOff(message)) {
        reject(this.#reasonOf(undefined));
        return;
      }
      let first: Buffer | undefined;
      let joined: ByteBuilder | undefined;
      const held = memory && new HeldAnswer(memory, "a body", () => message.destroy());
      const fail = (reason: unknown): void => {
        held?.release();
        reject(reason);
        message.destroy();
      };
      message.on("data", (part: Buffer) => {
        const length = part.length + ((joined ?? first)?.length ?? 0);
        if (length > maxBytes) {
          fail(new TransportError("too_large", `the answer is larger than ${maxBytes} bytes`));
        } else if (held && !held.fits(length)) fail(held.error);
        else if (first === undefined) first = part;
        else {
          joined ??= new ByteBuilder(maxBytes);
          if (joined.length === 0) joined.append(first);
          joined.append(part);
        }
      });
      message.on("end", () => {
        held?.release();
        resolve(joined ? toText(joined.bytes()) : (first?.toString() ?? ""));
      });
      message.on("error", (error) => fail(held?.isDropped ? held.error : this.#reasonOf(error)));
      message.on("close", () => held?.release());
    });
  }

  chunks(share?: LoopShare): AsyncIterator<string, undefined> {
    const message = this.#message;
    if (share && !message.complete && !message.destroyed) countParsing(message, share);
    const decoder = new StringDecoder();
    let waiting = "";
    let chunks = 0;
    let isOver = false;
    let failure = isCutOff(message) ? { reason: this.#reasonOf(undefined) } : undefined;
    let wake: (() => void) | undefined;

    function notice(): void {
      wake?.();
      wake = undefined;
    }

    message.on("data", (part: Buffer) => {
      const text = decoder.write(part);
      if (text === "") return;
      waiting += text;
      chunks += 1;
      if (waiting.length >= maxWaitingCharacters || chunks >= maxWaitingChunks) message.pause();
      notice();
    });
    message.on("end", () => {
      isOver = true;
      notice();
    });
    message.on("error", (error) => {
      failure = { reason: this.#reasonOf(error) };
      notice();
    });

    return {
      async next() {
        while (waiting === "" && !isOver && !failure) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (waiting !== "") {
          const value = waiting;
          waiting = "";
          chunks = 0;
          if (message.isPaused()) message.resume();
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

  /** What is on its way already is read, so that the socket can serve another request; then the socket is closed. */
  discard(): void {
    const message = this.#message;
    if (message.readableEnded || message.destroyed) return;
    message.removeAllListeners("data");
    message.on("error", ignore);
    const timer = setTimeout(() => message.destroy(), discardMs);
    timer.unref();
    message.on("close", () => clearTimeout(timer));
    message.resume();
  }

  #reasonOf(error: Error | undefined): unknown {
    return this.#signal?.aborted ? this.#signal.reason : (error ?? new Error("aborted"));
  }
}

function toText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

/** For a body of small chunks, Node's HTTP parser takes as long as the reader of the body. Its work is done in listeners of the socket. */
function countParsing(message: IncomingMessage, share: LoopShare): void {
  const { socket } = message;
  let startedAt = 0;
  const begin = (): void => {
    startedAt = performance.now();
  };
  const end = (): void => void share.spend(startedAt);
  socket.prependListener("data", begin).on("data", end);
  // The socket may serve further requests.
  message.once("close", () => socket.off("data", begin).off("data", end));
}

/** The socket may go between the head of an answer and the reading of its body; no event comes after that. */
function isCutOff(message: IncomingMessage): boolean {
  return message.destroyed && !message.readableEnded;
}

function ignore(): void {
  // The body is discarded; errors of it no longer matter.
}

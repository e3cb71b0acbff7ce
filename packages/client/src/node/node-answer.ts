// One request over undici and its answer. It is sent at most once, and its body has one reader at a time.

import type { Socket } from "node:net";
import type { MemoryBudget } from "@lethe/protocol";
import type { Dispatcher } from "undici";
import type { CancelSignal } from "../call/cancel-signal.ts";
import type { LoopShare } from "../call/loop-share.ts";
import type { HttpAnswer } from "../http/http-send.ts";
import {
  type BodyReader,
  type BodySource,
  ChunkReader,
  ignoringReader,
  maxWaitingCharacters,
  maxWaitingChunks,
  TextReader,
} from "./body-reader.ts";
import type { Connection } from "./socket-pool.ts";
import { toNodeError } from "./to-node-error.ts";

/** How long the rest of a discarded body may take before its socket is closed, in milliseconds. */
const discardMs = 1000;

/** Headers of which the first counts, as with node:http. The values of others are joined. */
const single: ReadonlySet<string> = new Set(["content-length", "content-type", "location", "retry-after"]);

/** What a request tells the owner of its connection: a `SocketPool`. */
export interface AnswerOwner {
  withdraw(answer: NodeAnswer, reason: unknown): void;
  ended(answer: NodeAnswer, isReusable: boolean): void;
}

export class NodeAnswer implements HttpAnswer, BodySource, Dispatcher.DispatchHandler {
  status = 0;
  /** Set by its owner while the request has a connection. */
  connection: Connection | undefined;
  /** An event stream that lasts. */
  readonly isLasting: boolean;
  /** Resolves when the head has arrived. */
  readonly head: Promise<HttpAnswer>;
  readonly #signal: CancelSignal | undefined;
  readonly #owner: AnswerOwner;
  #resolve!: (answer: HttpAnswer) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #headers: Record<string, string | string[] | undefined> = {};
  /** What arrived before there was a reader. */
  #unread: Buffer[] = [];
  #unreadLength = 0;
  #reader: BodyReader | undefined;
  #isHeldByReader = false;
  #isLastPart = false;
  #isComplete = false;
  #failure: { readonly reason: unknown } | undefined;
  #stopCounting: (() => void) | undefined;
  #discarding: NodeJS.Timeout | undefined;

  constructor(signal: CancelSignal | undefined, owner: AnswerOwner, isLasting = false) {
    this.isLasting = isLasting;
    this.#signal = signal;
    this.#owner = owner;
    this.head = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener("abort", this.#onAbort);
  }

  headers(name: string): string | undefined {
    const value = this.#headers[name];
    if (!Array.isArray(value)) return value;
    return single.has(name) ? value[0] : value.join(", ");
  }

  text(maxBytes: number, memory?: MemoryBudget): Promise<string> {
    const reader = new TextReader(this, maxBytes, memory);
    this.#attach(reader);
    return reader.text;
  }

  chunks(share?: LoopShare): AsyncIterator<string, undefined> {
    const socket = this.connection?.socket;
    if (share && socket) this.#stopCounting = countParsing(socket, share);
    const reader = new ChunkReader(this, share);
    this.#attach(reader);
    return reader;
  }

  /** What is on its way already is read, so that the socket can serve another request; then the socket is closed. */
  discard(): void {
    this.#unread = [];
    if (!this.#isOver) this.#discarding ??= setTimeout(() => this.abort(new Error("discarded")), discardMs).unref();
    this.#attach(ignoringReader);
  }

  get isPaused(): boolean {
    return !this.#isOver && this.#controller?.paused === true;
  }

  pause(): void {
    if (this.#isLastPart) return;
    this.#isHeldByReader = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#isHeldByReader = false;
    if (this.isPaused) this.#controller?.resume();
  }

  /** Its socket delivers no further bytes. A request that was not written yet is sent on another socket. */
  finish(): void {
    if (!this.#controller) return;
    this.#isLastPart = true;
    this.resume();
  }

  abort(reason: unknown): void {
    this.#reader = ignoringReader;
    this.#unread = [];
    if (this.#isOver) this.#release();
    else this.#controller?.abort(reason as Error);
  }

  /** For requests that were never dispatched. */
  fail(reason: unknown): void {
    this.#failure ??= { reason: this.#signal?.aborted ? this.#signal.reason : toNodeError(reason) };
    this.#reject(this.#failure.reason);
    this.#reader?.fail(this.#failure.reason);
    this.#release();
  }

  /** Undici calls this just before it writes the request. It would repeat requests in rare cases, which may not happen. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#controller) controller.abort(new Error("the connection ended after the request was sent"));
    else this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // Informational responses come before the real one.
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#reader) {
      this.#reader.data(part);
      return;
    }
    this.#unread.push(part);
    this.#unreadLength += part.length;
    const isMuch = this.#unreadLength >= maxWaitingCharacters || this.#unread.length >= maxWaitingChunks;
    if (isMuch && !this.#isLastPart) controller.pause();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#owner.ended(this, true);
    this.#stopCounting?.();
    if (!this.#reader) return;
    this.#reader.end();
    this.#release();
  }

  onResponseError(_: unknown, error: Error): void {
    this.fail(error);
    this.#owner.ended(this, false);
  }

  get #isOver(): boolean {
    return this.#isComplete || this.#failure !== undefined;
  }

  #attach(reader: BodyReader): void {
    const unread = this.#unread;
    this.#unread = [];
    this.#reader = reader;
    this.#isHeldByReader = false;
    for (const part of unread) if (this.#reader === reader) reader.data(part);
    if (this.#reader !== reader) return;
    if (this.#failure) reader.fail(this.#failure.reason);
    else if (this.#isComplete) reader.end();
    else if (!this.#isHeldByReader) this.resume();
    if (this.#isOver) this.#release();
  }

  readonly #onAbort = (): void => {
    const reason = this.#signal?.reason;
    this.#unread = [];
    if (this.#isOver) this.fail(reason);
    else if (this.#controller) this.#controller.abort(reason as Error);
    else this.#owner.withdraw(this, reason);
  };

  /** The signal may outlive the request, and the socket may serve further ones. */
  #release(): void {
    this.#stopCounting?.();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    clearTimeout(this.#discarding);
  }
}

/** For a body of small chunks, the HTTP parser takes as long as the reader of the body. Its work is done in a listener of the socket. */
function countParsing(socket: Socket, share: LoopShare): () => void {
  let startedAt = 0;
  const begin = (): void => {
    startedAt = performance.now();
  };
  const end = (): void => void share.spend(startedAt);
  socket.prependListener("readable", begin).on("readable", end);
  return () => {
    socket.off("readable", begin).off("readable", end);
  };
}

// One HTTP request: what it is about, and its response. The response is one JSON object, or an event stream as soon as a
// message precedes the result (B-22). check-request.ts walks the request to the Dispatch, an HttpIo moves the bytes.
import {
  type Caller,
  type Exchange,
  errorCode,
  type HeaderReader,
  type JsonRpcNotification,
  McpError,
  type RequestId,
  type Result,
  sseKeepAlive,
  toSseEvent,
} from "@lethe/protocol";
import type { Sender } from "../auth/sender.ts";
import { type HttpAnswer, isInternal, toErrorAnswer, toJsonAnswer, toWireError, withHeaders } from "./answers.ts";
import type { RequestedCallback } from "./callback-edge.ts";
import type { HttpEdge } from "./http-edge.ts";
import type { HttpIo } from "./http-io.ts";
import { acceptsEventStream } from "./media-type.ts";
import { RequestUsage } from "./request-usage.ts";
import { toErrorText, toResponseText } from "./response-text.ts";
import type { BodyAnswer } from "./route.ts";
import type { LegacyHttpCall, Servable } from "./servable.ts";

/** B-17 */
const streamHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** Proxies must not collect the line breaks. */
const earlyJsonHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** Made once: an error with a stack trace would be the most expensive part of closing an idle stream. */
const callerGone = new DOMException("the caller has gone away or the request was cut off", "AbortError");

export class HttpCall implements Exchange, LegacyHttpCall, Sender {
  readonly edge: HttpEdge;
  readonly io: HttpIo;
  readonly usage: RequestUsage;
  /** The server that the path leads to. */
  servable: Servable | undefined = undefined;
  caller: Caller | undefined = undefined;
  id: RequestId | undefined = undefined;
  /** Set for a request that completes a callback. It has no server and no caller. */
  callback: RequestedCallback | undefined = undefined;
  /** Set for a request to a route that waits for the body. It has no server and no caller. */
  awaited: BodyAnswer | undefined = undefined;
  /** The parsed body of a legacy request. */
  message: unknown = undefined;
  /** Answered or aborted: nothing more is written. */
  isEnded = false;
  /** Reached the server that the path leads to. */
  isAdmitted = false;
  /** Has no time limit: a subscription, or a request that the legacy edge answers. */
  isOpenEnded = false;
  isStream = false;
  /** Line breaks of a JSON response have been sent, before its text is known. */
  isJsonStarted = false;
  /** Headers of every answer: those of CORS, and those that the server adds. */
  addedHeaders: Readonly<Record<string, string>> | undefined = undefined;
  #signal: AbortSignal | undefined = undefined;
  #onAbort: (() => void) | undefined = undefined;

  constructor(edge: HttpEdge, io: HttpIo) {
    this.edge = edge;
    this.io = io;
    this.usage = new RequestUsage(this);
  }

  get verb(): string {
    return this.io.verb;
  }

  get url(): string {
    return this.io.url;
  }

  get remoteAddress(): string | undefined {
    return this.io.remoteAddress;
  }

  /** Made on demand: every open stream would otherwise hold a function. */
  get headers(): HeaderReader {
    const { io } = this;
    return (name) => io.header(name);
  }

  get isAnonymous(): boolean {
    return this.caller === undefined;
  }

  get isSlow(): boolean {
    return this.io.bufferedBytes > this.edge.settings.maxBufferedBytes;
  }

  get signal(): AbortSignal {
    if (!this.#signal) {
      const controller = new AbortController();
      this.#signal = controller.signal;
      this.onAbort(() => controller.abort(callerGone));
    }
    return this.#signal;
  }

  onAbort(callback: () => void): void {
    if (this.#isOver) callback();
    else if (this.#onAbort) this.#onAbort = both(this.#onAbort, callback);
    else {
      this.#onAbort = callback;
      this.io.watchConnection();
    }
  }

  abort(): void {
    const callback = this.#onAbort;
    this.#onAbort = undefined;
    callback?.();
  }

  notify(notification: JsonRpcNotification): boolean {
    if (this.#isOver || !(this.isStream || acceptsEventStream(this.io.header("accept")))) return true;
    const event = toSseEvent(JSON.stringify(notification));
    if (!this.isStream) this.#startStream();
    this.io.touch();
    // A subscription waits for `drained` by itself, and must not lose a change.
    if (!this.isOpenEnded && this.isSlow) return false;
    return this.io.write(event);
  }

  answeredBy(worker: number): void {
    if (!this.#isOver) this.io.answeredBy?.(worker);
  }

  drained(): Promise<void> {
    return this.#isOver ? Promise.resolve() : this.io.drained();
  }

  /** A result that cannot be written becomes an error. */
  finish(result: Result): void {
    try {
      const text = toResponseText(this.id as RequestId, result);
      if (this.isStream) this.#closeStream(toSseEvent(text));
      else if (this.isJsonStarted) this.#closeStream(text);
      else this.answer(toJsonAnswer(200, text));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Answers with the error. The error keeps its status unless a stream is open. */
  fail(thrown: unknown): void {
    if (this.isEnded) return;
    if (isInternal(thrown) && !this.io.isGone) this.edge.settings.onError(thrown);
    if (this.isStream) this.#closeStream(toSseEvent(toErrorText(this.id, toWireError(thrown))));
    else if (this.isJsonStarted) this.#closeStream(toErrorText(this.id, toWireError(thrown)));
    else this.answer(toErrorAnswer(thrown, this.id, { authenticator: this.servable?.authenticator }));
  }

  /** Answers that the request took too long, and aborts it. */
  timeOut(): void {
    const { requestTimeoutMs } = this.edge.settings;
    this.fail(new McpError(errorCode.internalError, `the request took longer than ${requestTimeoutMs} ms`));
    this.abort();
  }

  /** Answers that the server stopped, and aborts the request. */
  stop(): void {
    const message = "the server stopped before this request had ended; the request may have been carried out";
    this.fail(new McpError(errorCode.internalError, message, { data: { reason: "lost" } }));
    this.abort();
  }

  /** Sends the one answer, unless the client has left. */
  answer(answer: HttpAnswer): void {
    if (this.isEnded) return;
    if (!this.io.isGone) {
      const { addedHeaders } = this;
      this.io.sendAnswer(addedHeaders ? withHeaders(answer, addedHeaders) : answer);
    }
    if (answer.status >= 400 && this.servable && !this.isAdmitted) {
      this.edge.settings.onRejected?.(answer.status, this);
    }
    this.settle();
  }

  /** Starts the response of a running request before its outcome is known, with status 200. A legacy call does so by itself. */
  startEarly(): void {
    if (this.#isOver || this.isStream || this.isJsonStarted || this.isOpenEnded || this.id === undefined) return;
    if (acceptsEventStream(this.io.header("accept"))) this.#startStream();
    else {
      this.isJsonStarted = true;
      this.io.openStream(this.addedHeaders ? { ...earlyJsonHeaders, ...this.addedHeaders } : earlyJsonHeaders);
    }
    this.keepAlive();
  }

  beginStream(isLasting = false): boolean {
    if (this.#isOver) return false;
    if (isLasting && !this.usage.takeSlot(this.edge.streams)) return false;
    this.#startStream();
    // Without it the response head would wait for the first event.
    if (isLasting) this.io.write(sseKeepAlive);
    return true;
  }

  send(text: string): boolean {
    return this.#isOver || this.io.write(text);
  }

  endStream(): void {
    this.#closeStream("");
  }

  /** Sends a comment or a line break, unless the client has not even read what came before. */
  keepAlive(): void {
    if (!this.io.isGone && this.io.bufferedBytes <= 0) this.io.write(this.isJsonStarted ? "\n" : sseKeepAlive);
  }

  retain(): () => void {
    return this.usage.retain();
  }

  cutOff(): void {
    this.io.cutOff();
  }

  /** Ends the request without an answer, and releases everything that it holds. */
  settle(): void {
    this.isEnded = true;
    this.usage.release();
    this.io.release();
  }

  get #isOver(): boolean {
    return this.isEnded || this.io.isGone;
  }

  #startStream(): void {
    this.isStream = true;
    this.io.openStream(this.addedHeaders ? { ...streamHeaders, ...this.addedHeaders } : streamHeaders);
  }

  #closeStream(lastText: string): void {
    if (this.isEnded) return;
    if (!this.io.isGone) this.io.closeStream(lastText);
    this.settle();
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

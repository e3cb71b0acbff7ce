// An HTTP request over Request and Response. Each has its own timers: on some platforms one request must not touch another's stream.
import type { MemoryHolding } from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer } from "./answers.ts";
import { receiveBody } from "./check-request.ts";
import { HttpCall } from "./http-call.ts";
import type { HttpEdge } from "./http-edge.ts";
import { type HttpIo, slowBytes } from "./http-io.ts";
import { readText } from "./read-text.ts";
import { toSizeRefusal, toSlownessRefusal } from "./refusals.ts";

/** Bytes that a stream buffers before its writer must wait. */
const highWaterMark = 16 * 1024;
const encoder = new TextEncoder();

export class FetchIo implements HttpIo {
  readonly call: HttpCall;
  readonly #edge: HttpEdge;
  readonly #request: Request;
  readonly #url: URL;
  readonly #resolve: (response: Response) => void;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #touchedAt = 0;
  #isWatching = false;
  /** Set only once the connection is watched: on some platforms the signal of a request is made on demand and is expensive. */
  isGone = false;
  /** The output of a stream that its client reads slowly. */
  #output: MemoryHolding | undefined;
  /** Writers that wait until the client has read, or for the end. */
  #waiting: (() => void)[] = [];
  readonly #leave = (): void => {
    if (this.call.isEnded) return;
    this.isGone = true;
    if (this.bufferedBytes >= slowBytes) this.#discardOutput();
    this.call.abort();
    this.#wake();
  };

  constructor(edge: HttpEdge, request: Request, resolve: (response: Response) => void) {
    this.#edge = edge;
    this.#request = request;
    this.#url = new URL(request.url);
    this.#resolve = resolve;
    this.call = new HttpCall(edge, this);
  }

  get verb(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#url.pathname + this.#url.search;
  }

  get remoteAddress(): undefined {
    return undefined;
  }

  get clientAddress(): string | undefined {
    return this.#edge.settings.clientAddress?.(this.#request);
  }

  get bufferedBytes(): number {
    return this.#stream ? highWaterMark - (this.#stream.desiredSize ?? 0) : 0;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === "host" ? this.#url.host : undefined);
  }

  /** No platform reports a closed connection at low cost. */
  awaitCaller(): void {}

  readBody(): void {
    const { call } = this;
    const { settings } = this.#edge;
    const limits = {
      maxBytes: settings.maxBodyBytes,
      timeoutMs: settings.bodyTimeoutMs,
      onHeld: (bytes: number) => call.usage.holdBody(bytes),
    };
    readText(this.#request, limits).then(
      (body) => {
        if (call.isEnded) return;
        if (body === "too large") call.answer(toSizeRefusal(settings));
        else if (body === "too slow") call.answer(toSlownessRefusal(settings));
        else receiveBody(call, body.text);
      },
      (error: unknown) => {
        // A client that left in the middle of its body is not an error of the server.
        this.watchConnection();
        call.fail(error);
      },
    );
  }

  watchConnection(): void {
    const { signal } = this.#request;
    if (signal.aborted) this.#leave();
    else {
      this.#isWatching = true;
      signal.addEventListener("abort", this.#leave, { once: true });
    }
  }

  touch(): void {
    this.#touchedAt = Date.now();
    const { requestTimeoutMs } = this.#edge.settings;
    if (requestTimeoutMs > 0 && this.#deadline === undefined && !this.call.isOpenEnded) {
      this.#startDeadline(requestTimeoutMs);
    }
  }

  #startDeadline(ms: number): void {
    this.#deadline = setTimeout(() => {
      const left = this.#touchedAt + this.#edge.settings.requestTimeoutMs - Date.now();
      if (this.call.isOpenEnded) return;
      if (left > 0) this.#startDeadline(left);
      else this.call.timeOut();
    }, ms);
  }

  sendAnswer({ status, headers, body, bytes }: HttpAnswer): void {
    const sent = (bytes as Uint8Array<ArrayBuffer> | undefined) ?? (body === "" ? null : body);
    this.#resolve(new Response(sent, { status, headers }));
  }

  openStream(headers: Readonly<Record<string, string>>): void {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => {
          this.#output?.set(this.bufferedBytes);
          this.#wake();
        },
        cancel: this.#leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark }),
    );
    this.call.onAbort(() => this.#wake());
    this.#keepAlive = setInterval(() => this.call.keepAlive(), this.#edge.settings.keepAliveMs);
    this.#resolve(new Response(stream, { headers }));
  }

  write(text: string): boolean {
    if (this.isGone || !this.#stream) return true;
    this.#stream.enqueue(encoder.encode(text));
    if (this.bufferedBytes >= slowBytes) {
      this.#output ??= this.#edge.settings.memory.hold("responses", () => this.cutOff());
      this.#output.set(this.bufferedBytes);
    }
    return (this.#stream.desiredSize ?? 0) > 0;
  }

  closeStream(lastText: string): void {
    if (lastText !== "") this.write(lastText);
    this.#stream?.close();
  }

  drained(): Promise<void> {
    if ((this.#stream?.desiredSize ?? 1) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  cutOff(): void {
    const { call } = this;
    if (!this.#stream) call.answer(toErrorAnswer(this.#edge.settings.memory.refuse(), call.id));
    this.#discardOutput();
    this.#leave();
    call.settle();
  }

  release(): void {
    this.#output?.release();
    // The platform may keep the signal for longer than the request.
    if (this.#isWatching) this.#request.signal.removeEventListener("abort", this.#leave);
    clearInterval(this.#keepAlive);
    clearTimeout(this.#deadline);
    this.#wake();
    // The platform expects a Response even if the client has left.
    if (this.isGone) this.#resolve(new Response(null, { status: 499 }));
  }

  /** Not every platform cancels the stream of a client that left; its queue would stay until the call ends. */
  #discardOutput(): void {
    this.#stream?.error(new Error("closed: the client has left, or reads too slowly"));
    this.#output?.release();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

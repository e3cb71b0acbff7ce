// One HTTP request over Request and Response. Each has its own timers: on some platforms one request may not touch another's stream.
import type { MemoryHolding } from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer } from "./answers.ts";
import type { HttpEdge } from "./edge.ts";
import { HttpCall } from "./http-call.ts";
import { slowBytes } from "./http-exchange.ts";
import { readText } from "./read-text.ts";
import { toSizeRefusal, toSlownessRefusal } from "./screen.ts";

export interface Fetch {
  readonly request: Request;
  readonly url: URL;
  resolve(response: Response): void;
}

/** What a stream takes before a writer is told to hold back, in bytes. */
const highWaterMark = 16 * 1024;
const encoder = new TextEncoder();

export class FetchCall extends HttpCall {
  readonly #fetch: Fetch;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #lastSign = 0;
  #isCancelled = false;
  #isWatching = false;
  /** Of a stream that its client reads slowly. */
  #output: MemoryHolding | undefined;
  /** Those who wait for the client to read, or for the end. */
  #waiting: (() => void)[] = [];
  readonly #leave = (): void => {
    if (this.isEnded) return;
    this.#isCancelled = true;
    if (this.heldBytes >= slowBytes) this.#discardOutput();
    this.abort();
    this.#wake();
  };

  constructor(edge: HttpEdge, fetch: Fetch) {
    super(edge);
    this.#fetch = fetch;
  }

  begin(): void {
    this.start(this.edge.guard);
  }

  protected header(name: string): string | undefined {
    return this.#fetch.request.headers.get(name) ?? (name === "host" ? this.#fetch.url.host : undefined);
  }

  get verb(): string {
    return this.#fetch.request.method;
  }

  get url(): string {
    return this.#fetch.url.pathname + this.#fetch.url.search;
  }

  get remoteAddress(): undefined {
    return undefined;
  }

  protected get clientAddress(): string | undefined {
    return this.edge.settings.clientAddress?.(this.#fetch.request);
  }

  cutOff(): void {
    if (!this.#stream) this.end(toErrorAnswer(this.edge.settings.memory.refuse(), this.id));
    this.#discardOutput();
    this.#leave();
    this.settle();
  }

  /** Not every platform cancels the stream of a client that leaves, and its queue would stay until the call ends. */
  #discardOutput(): void {
    this.#stream?.error(new Error("closed: the client has left, or reads too slowly"));
    this.#output?.release();
  }

  drained(): Promise<void> {
    if (this.isEnded || this.isGone || (this.#stream?.desiredSize ?? 1) > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** As far as anybody asked: some platforms make the signal of a request only when it is looked at, and at a price. */
  protected get isGone(): boolean {
    return this.#isCancelled;
  }

  protected get heldBytes(): number {
    return this.#stream ? highWaterMark - (this.#stream.desiredSize ?? 0) : 0;
  }

  protected readBody(): void {
    const { settings } = this.edge;
    const limits = {
      maxBytes: settings.maxBodyBytes,
      timeoutMs: settings.bodyTimeoutMs,
      onHeld: (bytes: number) => this.holdBody(bytes),
    };
    readText(this.#fetch.request, limits).then(
      (body) => {
        if (this.isEnded) return;
        if (body === "too large") this.end(toSizeRefusal(settings));
        else if (body === "too slow") this.end(toSlownessRefusal(settings));
        else if (!this.isEnded) this.receive(body.text);
      },
      (error: unknown) => {
        // A client that left in the middle of its body is no fault of ours.
        this.watchConnection();
        this.fail(error);
      },
    );
  }

  protected sendAnswer({ status, headers, body }: HttpAnswer): void {
    this.#fetch.resolve(new Response(body === "" ? null : body, { status, headers }));
  }

  protected openStream(headers: Readonly<Record<string, string>>): void {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => {
          this.#output?.set(this.heldBytes);
          this.#wake();
        },
        cancel: this.#leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark }),
    );
    this.onAbort(() => this.#wake());
    this.#keepAlive = setInterval(() => this.keepAlive(), this.edge.settings.keepAliveMs);
    this.#fetch.resolve(new Response(stream, { headers }));
  }

  protected write(text: string): boolean {
    if (this.isGone || !this.#stream) return true;
    this.#stream.enqueue(encoder.encode(text));
    if (this.heldBytes >= slowBytes) {
      this.#output ??= this.edge.settings.memory.hold("responses", () => this.cutOff());
      this.#output.set(this.heldBytes);
    }
    return (this.#stream.desiredSize ?? 0) > 0;
  }

  protected closeStream(lastText: string): void {
    if (lastText !== "") this.write(lastText);
    this.#stream?.close();
  }

  protected watchConnection(): void {
    const { signal } = this.#fetch.request;
    if (signal.aborted) this.#leave();
    else {
      this.#isWatching = true;
      signal.addEventListener("abort", this.#leave, { once: true });
    }
  }

  protected signOfLife(): void {
    this.#lastSign = Date.now();
    const { requestTimeoutMs } = this.edge.settings;
    if (requestTimeoutMs > 0 && this.#deadline === undefined && !this.isOpenEnded) this.#watch(requestTimeoutMs);
  }

  #watch(ms: number): void {
    this.#deadline = setTimeout(() => {
      const left = this.#lastSign + this.edge.settings.requestTimeoutMs - Date.now();
      if (this.isOpenEnded) return;
      if (left > 0) this.#watch(left);
      else this.timeOut();
    }, ms);
  }

  protected override settle(): void {
    super.settle();
    this.#output?.release();
    // Whoever made the signal may keep it longer than the request.
    if (this.#isWatching) this.#fetch.request.signal.removeEventListener("abort", this.#leave);
    clearInterval(this.#keepAlive);
    clearTimeout(this.#deadline);
    this.#wake();
    // A client that left, or was never there, still has to get something from the platform's point of view.
    if (this.isGone) this.#fetch.resolve(new Response(null, { status: 499 }));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

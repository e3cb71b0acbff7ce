// What a running request may do over HTTP: notify, hear of its caller's leaving, and answer once. One JSON object, unless
// something was notified first; then an event stream (B-22). Knows no socket: fetch and node:http bring their own.
import {
  type Caller,
  type Exchange,
  errorCode,
  type HeaderReader,
  type JsonRpcNotification,
  McpError,
  type MemoryHolding,
  type RequestId,
  type Result,
  sseKeepAlive,
  toSseEvent,
} from "@lethe/protocol";
import { type HttpAnswer, isInternal, toErrorAnswer, toJsonAnswer, toWireError } from "./answers.ts";
import type { ArrivingBody } from "./arriving-bodies.ts";
import type { HttpEdge } from "./edge.ts";
import type { FairLimit } from "./fair-limit.ts";
import { acceptsEventStream } from "./media-type.ts";
import { MemoryShare } from "./memory-share.ts";
import type { Party } from "./party.ts";
import { toErrorText, toResponseText } from "./response-text.ts";
import { toShareRefusal, toSlowBodyRefusal } from "./screen.ts";
import type { Servable } from "./servable.ts";

/** B-17 */
const streamHeaders: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** A client that leaves less unread is not slow: so much fits into the buffers on the way. */
export const slowBytes: number = 64 * 1024;

/** Made once: an error with a stack for every closed tab would be the dearest part of closing it. */
const callerGone = new DOMException("the caller has gone away or the request was cut off", "AbortError");

export abstract class HttpExchange implements Exchange, ArrivingBody {
  caller: Caller | undefined = undefined;
  /** The server that the path leads to. */
  servable: Servable | undefined = undefined;
  protected readonly edge: HttpEdge;
  protected id: RequestId | undefined = undefined;
  /** Answered or given up: nothing is written any more. */
  protected isEnded = false;
  /** May last and be silent as long as it likes: a subscription (E-18), and whatever a legacy edge answers. */
  protected isOpenEnded = false;
  /** An event stream is open. */
  protected isStream = false;
  protected corsHeaders: Readonly<Record<string, string>> | undefined = undefined;
  older: ArrivingBody | undefined = undefined;
  newer: ArrivingBody | undefined = undefined;
  since = -1;
  /** Whom this request counts for. Undefined while neither caller nor client address is known. */
  #party: Party | undefined = undefined;
  /** Where it holds a slot. */
  #limit: FairLimit | undefined = undefined;
  /** Of a body that is worth counting. */
  #held: MemoryHolding | undefined = undefined;
  #share: MemoryShare | undefined = undefined;
  #signal: AbortSignal | undefined = undefined;
  #onAbort: (() => void) | undefined = undefined;

  constructor(edge: HttpEdge) {
    this.edge = edge;
  }

  /** By lower-case name. */
  protected abstract header(name: string): string | undefined;
  /** The client has closed the connection. */
  protected abstract readonly isGone: boolean;
  /** What the client has not taken yet, in bytes. */
  protected abstract readonly heldBytes: number;
  /** Calls `abort` when the client closes the connection before the end; called at most once. */
  protected abstract watchConnection(): void;
  /** Ends the request and closes its connection, whatever state they are in. */
  abstract cutOff(): void;
  protected abstract sendAnswer(answer: HttpAnswer): void;
  protected abstract openStream(headers: Readonly<Record<string, string>>): void;
  /** Sent to a client that has read everything, and is no use to any other. */
  protected keepAlive(): void {
    if (!this.isGone && this.heldBytes <= 0) this.write(sseKeepAlive);
  }

  /** False when the client reads slower than we write. */
  protected abstract write(text: string): boolean;
  protected abstract closeStream(lastText: string): void;
  /** The request begins, begins to run, or sends something: its time starts anew. */
  protected abstract signOfLife(): void;
  abstract drained(): Promise<void>;

  /** Made when asked for: a function that every open stream would hold is too dear. */
  get headers(): HeaderReader {
    return (name) => this.header(name);
  }

  get isAnonymous(): boolean {
    return this.caller === undefined;
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
    if (this.isEnded || this.isGone) callback();
    else if (this.#onAbort) this.#onAbort = both(this.#onAbort, callback);
    else {
      this.#onAbort = callback;
      this.watchConnection();
    }
  }

  notify(notification: JsonRpcNotification): boolean {
    if (this.isEnded || this.isGone || !this.#canStream()) return true;
    const event = toSseEvent(JSON.stringify(notification));
    if (!this.isStream) this.startStream();
    this.signOfLife();
    // A subscription holds back by itself, and must not lose a change.
    if (!this.isOpenEnded && this.heldBytes > this.edge.settings.maxBufferedBytes) return false;
    return this.write(event);
  }

  protected startStream(): void {
    this.isStream = true;
    this.openStream(this.corsHeaders ? { ...streamHeaders, ...this.corsHeaders } : streamHeaders);
  }

  #canStream(): boolean {
    return this.isStream || acceptsEventStream(this.header("accept"));
  }

  protected finish(result: Result): void {
    const text = toResponseText(this.id as RequestId, result);
    if (this.isStream) this.#endStream(text);
    else this.end(toJsonAnswer(200, text));
  }

  /** an error keeps its status unless a stream is open. */
  protected fail(thrown: unknown): void {
    if (this.isEnded) return;
    if (isInternal(thrown) && !this.isGone) this.edge.settings.onError(thrown);
    if (this.isStream) this.#endStream(toErrorText(this.id, toWireError(thrown)));
    else this.end(toErrorAnswer(thrown, this.id, { authenticator: this.servable?.authenticator }));
  }

  /** Answers that the request took too long, and aborts it. */
  protected timeOut(): void {
    const { requestTimeoutMs } = this.edge.settings;
    this.fail(new McpError(errorCode.internalError, `the request took longer than ${requestTimeoutMs} ms`));
    this.abort();
  }

  protected abort(): void {
    const callback = this.#onAbort;
    this.#onAbort = undefined;
    callback?.();
  }

  /** The one answer. Nothing is sent to a client that has gone (B-20). */
  protected end(answer: HttpAnswer): void {
    if (this.isEnded) return;
    if (!this.isGone) {
      this.sendAnswer(this.corsHeaders ? { ...answer, headers: { ...answer.headers, ...this.corsHeaders } } : answer);
    }
    this.settle();
  }

  #endStream(text: string): void {
    if (this.isEnded) return;
    if (!this.isGone) {
      this.closeStream(toSseEvent(text));
    }
    this.settle();
  }

  protected settle(): void {
    this.isEnded = true;
    this.#held?.release();
    this.#share?.release();
    this.releaseSlot();
  }

  /**
   * Counts what is held of the body. False when nothing more may be held: the memory budget has cut the request off, or the
   * request has ended, for example with a 408, and nothing would release the bytes that still arrive.
   */
  protected holdBody(bytes: number): boolean {
    if (this.isEnded || !this.takeShare(2 * bytes)) return false;
    this.#held ??= this.edge.settings.memory.hold("requests", () => this.cutOff());
    // Its pieces, and the text that is made of them.
    return this.#held.set(2 * bytes);
  }

  /** Counts so many bytes for the party. Answers 429 when that is more than its share. */
  protected takeShare(bytes: number): boolean {
    const { memory } = this.edge.settings;
    this.#share ??= new MemoryShare();
    if (this.#share.fits(bytes, this.#party, memory)) {
      this.#share.set(bytes, this.#party);
      return true;
    }
    this.end(toShareRefusal(this.#party?.kind));
    return false;
  }

  /** Counts the whole request until it is settled. False when there is no room for it. */
  protected holdRequest(bytes: number): boolean {
    const { memory } = this.edge.settings;
    if (!memory.hasRoomFor(bytes - (this.#held?.bytes ?? 0))) return false;
    this.#held ??= memory.hold("requests", () => this.cutOff());
    this.#held.pin();
    return this.#held.set(bytes);
  }

  /** From now on the request counts for this party; the slot that it holds moves over. Without one for it, answers 429 or 503. */
  protected countFor(party: Party | undefined, limit: FairLimit): boolean {
    this.releaseSlot();
    this.#party = party;
    return this.takeSlot(limit);
  }

  /** Releases the slot that the request holds, and takes one of this limit. Without one, answers 429 or 503. */
  protected takeSlot(limit: FairLimit): boolean {
    this.releaseSlot();
    if (limit.take(this.#party) || this.#takeFromSlowest(limit)) {
      this.#limit = limit;
      return true;
    }
    this.end(toErrorAnswer(limit.refusal(this.#party), this.id));
    return false;
  }

  #takeFromSlowest(limit: FairLimit): boolean {
    const { bodies, receiving } = this.edge;
    return limit === receiving && limit.isOwed(this.#party) && bodies.dropSlowest() && limit.take(this.#party);
  }

  makeRoom(): void {
    this.end(toSlowBodyRefusal());
  }

  protected releaseSlot(): void {
    this.edge.bodies.delete(this);
    this.#limit?.release(this.#party);
    this.#limit = undefined;
  }

  /** Its caller or its body is not complete yet. */
  protected get isReceiving(): boolean {
    return this.#limit === this.edge.receiving;
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

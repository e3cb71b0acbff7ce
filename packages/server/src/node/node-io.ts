// An HTTP request over node:http, without a Request, Response, timer or controller that nothing asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type MemoryHolding, smallBytes } from "@lethe/protocol";
import type { HttpAnswer } from "../http/answers.ts";
import { receiveBody, receiveParsedBody } from "../http/check-request.ts";
import { HttpCall } from "../http/http-call.ts";
import type { HttpEdge } from "../http/http-edge.ts";
import { type HttpIo, slowBytes } from "../http/http-io.ts";
import { toSizeRefusal, toSlownessRefusal } from "../http/refusals.ts";
import { noticeBroken } from "./broken-request.ts";
import type { TrustedProxies } from "./client-address.ts";
import type { Clock, Ticking } from "./clock.ts";
import { type DirectBody, leaveBody } from "./direct-body.ts";
import { createDrain } from "./drain.ts";
import { endResponse } from "./end-response.ts";
import { holdOutput } from "./hold-output.ts";
import { type BodyReceiver, readBody } from "./read-body.ts";
import { writeAnswerHead, writeHead } from "./response-head.ts";
import { shrinkStream } from "./shrink-stream.ts";
import type { StallDetector } from "./stall-detector.ts";
import type { ConnectionMoves } from "./workers/connection-moves.ts";

/** Frameworks put the parsed body here, and the path before they removed the prefix at which the handler is mounted. */
export interface NodeRequest extends IncomingMessage, Partial<DirectBody> {
  body?: unknown;
  originalUrl?: string;
}

export interface NodeEdge extends HttpEdge {
  readonly clock: Clock<NodeIo>;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Undefined for a handler inside of another server, which nothing would close. */
  readonly stalls: Pick<StallDetector, "isStale" | "close"> | undefined;
  /** False for a handler inside of another server, whose code may read more of its requests. */
  readonly ownsServer: boolean;
  /** Shutting down: no connection is kept for another request. */
  isClosing: boolean;
  /** The `Keep-Alive` header of responses. Undefined for a handler inside of another server, which adds its own. */
  readonly keepAlive: string | undefined;
  /** Set in a worker: gives connections to the workers that answer their requests. */
  moves: ConnectionMoves | undefined;
}

export class NodeIo implements HttpIo, Ticking, BodyReceiver {
  readonly call: HttpCall;
  place = -1;
  readonly #edge: NodeEdge;
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  #parsedBody: unknown;
  #isReading = false;
  #isStream = false;
  /** An answer is sent within the next turns of the event loop. */
  #isSending = false;
  /** On the clock of the edge, as is `#wroteAt`. */
  #touchedAt: number;
  #wroteAt = 0;
  #drain: (() => Promise<void>) | undefined = undefined;
  /** The output of a response that its client reads slowly. */
  #output: MemoryHolding | undefined = undefined;

  constructor(edge: NodeEdge, request: NodeRequest, response: ServerResponse, parsedBody: unknown) {
    this.#edge = edge;
    this.#request = request;
    this.#response = response;
    this.#parsedBody = parsedBody;
    this.#touchedAt = edge.clock.now;
    this.call = new HttpCall(edge, this);
  }

  get socket(): Socket {
    return this.#request.socket;
  }

  get verb(): string {
    return this.#request.method ?? "";
  }

  get url(): string {
    return this.#request.originalUrl ?? this.#request.url ?? "";
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  get clientAddress(): string | undefined {
    const { trustedProxies } = this.#edge;
    return trustedProxies
      ? trustedProxies.clientAddress(this.remoteAddress, this.header("x-forwarded-for"))
      : this.remoteAddress;
  }

  get isGone(): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return true;
    // Other code has started to respond, for example the time limit of a framework.
    return response.headersSent && !this.#isStream;
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  header(name: string): string | undefined {
    const { headers } = this.#request;
    const value = headers[name] ?? (name === "host" ? headers[":authority"] : undefined);
    return typeof value === "object" ? value.join(", ") : value;
  }

  awaitCaller(): void {
    noticeBroken(this.#request, this);
  }

  readBody(): void {
    if (this.#parsedBody !== undefined || this.#request.readableEnded) {
      const body = this.#parsedBody ?? this.#request.body ?? "";
      this.#parsedBody = undefined;
      if (typeof body === "string") receiveBody(this.call, body);
      else if (body instanceof Uint8Array) receiveBody(this.call, new TextDecoder().decode(body));
      else receiveParsedBody(this.call, body);
    } else if (this.#request.destroyed) {
      // No event will follow.
      this.call.settle();
    } else {
      this.#isReading = true;
      readBody(this.#request, this);
    }
  }

  get maxBytes(): number {
    return this.#edge.settings.maxBodyBytes;
  }

  onHeld(bytes: number): boolean {
    return this.call.usage.holdBody(bytes);
  }

  onText(text: string): void {
    this.#isReading = false;
    if (this.#edge.stalls?.isStale) this.#receiveIfPresent(text);
    else if (!this.call.isEnded) receiveBody(this.call, text);
  }

  /** A client that has left must not start anything: a load balancer may have told it that the request failed. */
  #receiveIfPresent(text: string): void {
    afterTurns(() => {
      if (this.call.isEnded) return;
      if (this.#isClosing || this.isGone) this.call.settle();
      else receiveBody(this.call, text);
    });
  }

  /** An answer that its client never reads must not count as sent: the question in it is withdrawn when the connection closes. */
  #ifPresent(send: () => void): void {
    this.#isSending = true;
    afterTurns(() => {
      this.#isSending = false;
      if (!this.#isClosing && !this.#response.destroyed) send();
      if (this.call.isEnded) this.release();
    });
  }

  /** The client has closed the connection, and this side has seen it. */
  get #isClosing(): boolean {
    const { socket } = this;
    return socket.destroyed || socket.writableEnded;
  }

  onTooLarge(): void {
    this.call.answer(toSizeRefusal(this.#edge.settings));
  }

  /** Nothing is left of a request whose connection closes before its body is complete. */
  onBroken(): void {
    if (this.call.usage.isReceiving) this.call.settle();
  }

  watchConnection(): void {
    const response = this.#response;
    response.on("close", () => {
      if (!this.call.isEnded || !response.writableFinished) this.call.abort();
    });
  }

  touch(): void {
    this.#touchedAt = this.#edge.clock.now;
  }

  tick(now: number): void {
    const { bodyTimeoutMs, keepAliveMs, startAfterMs, requestTimeoutMs } = this.#edge.settings;
    const idleMs = now - this.#touchedAt;
    if (this.#isStream) {
      if (now - this.#wroteAt >= keepAliveMs) this.call.keepAlive();
    } else if (startAfterMs > 0 && idleMs >= startAfterMs) this.call.startEarly();
    if (this.#isReading) {
      if (idleMs >= bodyTimeoutMs) this.call.answer(toSlownessRefusal(this.#edge.settings));
    } else if (!this.call.isOpenEnded && requestTimeoutMs > 0 && idleMs >= requestTimeoutMs) this.call.timeOut();
  }

  sendAnswer(answer: HttpAnswer): void {
    if (this.#edge.stalls?.isStale) this.#ifPresent(() => this.#sendAnswer(answer));
    else this.#sendAnswer(answer);
  }

  #sendAnswer(answer: HttpAnswer): void {
    const { body, bytes } = answer;
    if (this.#edge.isClosing) this.#response.shouldKeepAlive = false;
    const length = writeAnswerHead(this.#response, answer, this.#edge.keepAlive);
    // Node writes ASCII faster as Latin-1.
    if (bytes === undefined) this.#finish(body, length === body.length ? "latin1" : "utf8");
    else this.#finish(bytes);
  }

  openStream(headers: Readonly<Record<string, string>>): void {
    const response = this.#response;
    this.#isStream = true;
    writeHead(response, 200, headers, this.#edge.keepAlive);
    if (this.call.isOpenEnded && this.#edge.ownsServer) shrinkStream(this.#request, response);
  }

  write(text: string): boolean {
    this.#wroteAt = this.#edge.clock.now;
    const isTaken = this.#response.write(text);
    if (!isTaken) this.#countOutput();
    return isTaken;
  }

  closeStream(lastText: string): void {
    if (this.#edge.stalls?.isStale) this.#ifPresent(() => this.#finish(lastText, "utf8"));
    else this.#finish(lastText, "utf8");
  }

  answeredBy(worker: number): void {
    this.#edge.moves?.answeredBy(this.socket, this.#response, worker);
  }

  drained(): Promise<void> {
    this.#drain ??= createDrain(this.#response);
    return this.#drain();
  }

  cutOff(): void {
    this.call.abort();
    this.#response.destroy();
    // A response that waits for an earlier one on its connection has no socket yet, and destroys none.
    this.socket.destroy();
    this.call.settle();
  }

  /** A shutdown closes the connections of released requests, so an answer that is yet to be sent counts as a running request. */
  release(): void {
    this.#request[leaveBody]?.();
    if (!this.#isSending) this.#edge.clock.delete(this);
  }

  /** Closes the connection of a client that stops reading its response: no other limit counts what is held for it. */
  #finish(body: string | Uint8Array, encoding: BufferEncoding = "utf8"): void {
    const response = this.#response;
    endResponse(response, body, encoding);
    this.#countOutput();
    // None yet while an earlier request of the connection runs.
    const { socket } = response;
    if (!socket || !(response.writableLength > 0)) return;
    const { timeout = 0 } = socket;
    socket.setTimeout(this.#edge.settings.bodyTimeoutMs);
    response.prependOnceListener("finish", () => socket.setTimeout(timeout));
  }

  #countOutput(): void {
    const { writableLength, socket } = this.#response;
    // Many responses may wait for an earlier one of their connection: each of them counts.
    if (!(writableLength >= (socket ? slowBytes : smallBytes))) return;
    // No event would release what waits on a connection that has closed.
    if (!socket && this.socket.destroyed) return;
    this.#output ??= holdOutput(this.#edge.settings.memory, this.#response, {
      socket: this.socket,
      drop: () => this.cutOff(),
    });
    this.#output.set(writableLength);
  }
}

/**
 * After a stall, a request and the end of its connection wait in the kernel together. The event loop reads the end in the turn after the
 * request.
 */
function afterTurns(act: () => void): void {
  setImmediate(() => setImmediate(act));
}

// One HTTP request over node:http, without Request, Response, timers or controllers that nobody asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type MemoryHolding, smallBytes } from "@lethe/protocol";
import { type HttpAnswer, jsonHeaders } from "../http/answers.ts";
import type { HttpEdge } from "../http/edge.ts";
import { HttpCall } from "../http/http-call.ts";
import { slowBytes } from "../http/http-exchange.ts";
import { toSizeRefusal, toSlownessRefusal } from "../http/screen.ts";
import type { TrustedProxies } from "./client-address.ts";
import type { Clock, Ticking } from "./clock.ts";
import { createDrain } from "./drain.ts";
import { holdOutput } from "./hold-output.ts";
import { type BodyReceiver, readBody } from "./read-body.ts";

/** A framework leaves here what it has parsed, and the path from before it cut off where the handler is mounted. */
export interface NodeRequest extends IncomingMessage {
  body?: unknown;
  originalUrl?: string;
}

export interface NodeEdge extends HttpEdge {
  readonly clock: Clock<NodeCall>;
  readonly trustedProxies: TrustedProxies | undefined;
  /** Shutting down: no connection is kept for another request. */
  isClosing: boolean;
}

const receiving: unique symbol = Symbol("lethe.receiving");

type Received = IncomingMessage & { [receiving]?: NodeCall | undefined };

/** One function for all requests, which keep their listeners as long as their answer lasts. */
function onRequestClose(this: Received): void {
  const call = this[receiving];
  this[receiving] = undefined;
  // A framework that has read the body may close the request before its answer.
  if (!this.readableEnded) call?.onBroken();
}

export class NodeCall extends HttpCall implements Ticking, BodyReceiver {
  declare protected readonly edge: NodeEdge;
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  #parsedBody: unknown;
  #isReading = false;
  place = -1;
  /** On the clock of the edge. */
  #lastSign: number;
  #lastWrite = 0;
  #drain: (() => Promise<void>) | undefined = undefined;
  /** Of an answer that its client reads slowly. */
  #output: MemoryHolding | undefined = undefined;

  constructor(edge: NodeEdge, request: NodeRequest, response: ServerResponse) {
    super(edge);
    this.#request = request;
    this.#response = response;
    this.#lastSign = edge.clock.now;
  }

  get socket(): Socket {
    return this.#request.socket;
  }

  begin(parsedBody: unknown): void {
    this.#parsedBody = parsedBody;
    this.edge.clock.add(this);
    this.start(isLoopbackAddress(this.#request.socket.localAddress) ? this.edge.loopbackGuard : this.edge.guard);
  }

  tick(now: number): void {
    const { bodyTimeoutMs, keepAliveMs, requestTimeoutMs } = this.edge.settings;
    if (this.isStream && now - this.#lastWrite >= keepAliveMs) this.keepAlive();
    const silence = now - this.#lastSign;
    if (this.#isReading) {
      if (silence >= bodyTimeoutMs) this.end(toSlownessRefusal(this.edge.settings));
    } else if (!this.isOpenEnded && requestTimeoutMs > 0 && silence >= requestTimeoutMs) this.timeOut();
  }

  cutOff(): void {
    this.abort();
    this.#response.destroy();
    // An answer that waits for an earlier one on its connection has no socket yet, and destroys none.
    this.socket.destroy();
    this.settle();
  }

  drained(): Promise<void> {
    if (this.isEnded || this.isGone) return Promise.resolve();
    this.#drain ??= createDrain(this.#response);
    return this.#drain();
  }

  protected header(name: string): string | undefined {
    const { headers } = this.#request;
    const value = headers[name] ?? (name === "host" ? headers[":authority"] : undefined);
    return typeof value === "object" ? value.join(", ") : value;
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

  protected get clientAddress(): string | undefined {
    const { trustedProxies } = this.edge;
    return trustedProxies
      ? trustedProxies.clientAddress(this.remoteAddress, this.header("x-forwarded-for"))
      : this.remoteAddress;
  }

  protected get isGone(): boolean {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return true;
    // Somebody else has begun to answer, for example a time limit of the framework.
    return response.headersSent && !this.isStream;
  }

  protected get heldBytes(): number {
    return this.#response.writableLength;
  }

  protected watchConnection(): void {
    this.#response.on("close", () => {
      if (!this.isEnded) this.abort();
    });
  }

  protected signOfLife(): void {
    this.#lastSign = this.edge.clock.now;
  }

  protected readBody(): void {
    if (this.#parsedBody !== undefined || this.#request.readableEnded) {
      const body = this.#parsedBody ?? this.#request.body ?? "";
      this.#parsedBody = undefined;
      if (typeof body === "string") this.receive(body);
      else if (body instanceof Uint8Array) this.receive(new TextDecoder().decode(body));
      else this.receiveMessage(body);
    } else if (this.#request.destroyed) {
      // No event follows any more.
      this.settle();
    } else {
      this.#isReading = true;
      readBody(this.#request, this);
    }
  }

  protected override releaseOnClose(): void {
    const request: Received = this.#request;
    request[receiving] = this;
    request.on("close", onRequestClose);
  }

  onHeld(bytes: number): boolean {
    return this.holdBody(bytes);
  }

  get maxBytes(): number {
    return this.edge.settings.maxBodyBytes;
  }

  onText(text: string): void {
    this.#isReading = false;
    if (!this.isEnded) this.receive(text);
  }

  onTooLarge(): void {
    this.end(toSizeRefusal(this.edge.settings));
  }

  /** Nothing is left of a request whose connection dies before its body is complete. */
  onBroken(): void {
    if (this.isReceiving) this.settle();
  }

  protected sendAnswer({ status, headers, body }: HttpAnswer): void {
    const response = this.#response;
    if (this.edge.isClosing) response.shouldKeepAlive = false;
    const length = Buffer.byteLength(body);
    if (headers === jsonHeaders) {
      response.writeHead(status, ["Content-Type", "application/json", "Content-Length", length]);
    } else response.writeHead(status, status === 204 ? headers : { ...headers, "Content-Length": length });
    // Where both say the same, Node writes Latin-1 faster.
    this.#finish(body, length === body.length ? "latin1" : "utf8");
  }

  protected openStream(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, headers);
  }

  protected write(text: string): boolean {
    this.#lastWrite = this.edge.clock.now;
    const isTaken = this.#response.write(text);
    if (!isTaken) this.#countOutput();
    return isTaken;
  }

  protected closeStream(lastText: string): void {
    this.#finish(lastText, "utf8");
  }

  /** A client that takes no more of its answer loses the connection: what is held for it counts in no limit any more. */
  #finish(text: string, encoding: BufferEncoding): void {
    const response = this.#response;
    response.end(text, encoding);
    this.#countOutput();
    // None yet while an earlier request of the connection runs.
    const { socket } = response;
    if (!socket || !(response.writableLength > 0)) return;
    const { timeout = 0 } = socket;
    socket.setTimeout(this.edge.settings.bodyTimeoutMs);
    response.prependOnceListener("finish", () => socket.setTimeout(timeout));
  }

  #countOutput(): void {
    const { writableLength, socket } = this.#response;
    // Many answers may wait for an earlier one of their connection: each of them counts.
    if (!(writableLength >= (socket ? slowBytes : smallBytes))) return;
    // No event would release what waits on a connection that has closed.
    if (!socket && this.socket.destroyed) return;
    this.#output ??= holdOutput(this.edge.settings.memory, this.#response, {
      socket: this.socket,
      drop: () => this.cutOff(),
    });
    this.#output.set(writableLength);
  }

  protected override settle(): void {
    super.settle();
    this.edge.clock.delete(this);
  }
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address.startsWith("127.") || address === "::1" || address.startsWith("::ffff:127.");
}

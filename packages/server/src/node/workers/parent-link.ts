// A worker's side of its parent: asks the parent's stores, exchanges messages with other workers, and follows the parent's orders.
import type { Duplex } from "node:stream";
import { overloaded } from "@lethe/protocol";
import { type CarriedError, fromCarriedError } from "../../replicas/carried-error.ts";
import { type Frame, frameKind } from "./frames.ts";
import { type ControlMessage, parseJson, toJsonBody } from "./messages.ts";
import { Pipe } from "./pipe.ts";
import type { UndeliveredReason, WorkerPeer } from "./worker-peer.ts";

export interface ParentLinkOptions {
  readonly stream: Duplex;
  /** The unique id of this process. */
  readonly self: string;
  /** The number of this process among the workers. */
  readonly number: number;
  /** Its place among the workers, from 1. The worker that replaces it has the same. Default 1. */
  readonly slot?: number;
  /** Requests to the parent that wait for their answers. More are rejected. Default 10,000. */
  readonly maxRequests?: number;
}

interface WaitingRequest {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export interface SendOptions {
  /** The parent refuses the message while the other worker is slow. Default false. */
  readonly isRefusable?: boolean;
  /** Size as JSON, in bytes. A larger message is not sent. Default: unlimited. */
  readonly maxBytes?: number;
  /** Called if the message could not be delivered. */
  onUndelivered?(reason: UndeliveredReason): void;
}

/** Pairs channels of messages: each use has its own name. */
type Envelope = readonly [channel: string, message: unknown];

const retryAfterMs = 1_000;
/** Ids of frames are 32-bit numbers. */
const lastId = 0xffff_ffff;

export class ParentLink {
  readonly self: string;
  readonly number: number;
  readonly slot: number;
  readonly #pipe: Pipe;
  readonly #maxRequests: number;
  readonly #waiting = new Map<number, WaitingRequest>();
  readonly #subscriptions = new Map<number, (event: never) => void>();
  readonly #undelivered = new Map<number, (reason: UndeliveredReason) => void>();
  readonly #channels = new Map<string, Set<(from: number, message: never) => void>>();
  readonly #peersListeners = new Set<(peers: readonly WorkerPeer[]) => void>();
  readonly #controlListeners = new Set<(message: ControlMessage) => void>();
  readonly #closeListeners = new Set<() => void>();
  #peers: readonly WorkerPeer[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor({ stream, self, number, slot = 1, maxRequests = 10_000 }: ParentLinkOptions) {
    this.self = self;
    this.number = number;
    this.slot = slot;
    this.#maxRequests = maxRequests;
    this.#pipe = new Pipe(stream, { onFrame: (frame) => this.#receive(frame), onClose: () => this.#close() });
  }

  /** All workers, with this one. */
  get peers(): readonly WorkerPeer[] {
    return this.#peers;
  }

  /** Rejects with the error of the store, or with a retryable McpError while the parent does not answer. */
  request<Answer>(operation: string, ...given: readonly unknown[]): Promise<Answer> {
    if (this.#isClosed || this.#pipe.isFull || this.#waiting.size >= this.#maxRequests) {
      return Promise.reject(overloaded("the parent of this worker does not answer", retryAfterMs));
    }
    return new Promise<Answer>((resolve, reject) => {
      const id = this.#nextId();
      this.#waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.#pipe.send({ kind: frameKind.request, id, body: toJsonBody([operation, ...given]) });
    });
  }

  /** Sends a request that has no answer. It is dropped while the parent does not read. */
  tell(operation: string, ...given: readonly unknown[]): void {
    if (!this.#pipe.isFull) this.#pipe.send({ kind: frameKind.request, body: toJsonBody([operation, ...given]) });
  }

  /** Receives the events of a subscription that the parent was told about. Returns its id and a function that stops receiving. */
  subscribe(listener: (event: never) => void): { readonly id: number; stop(): void } {
    const id = this.#nextId();
    this.#subscriptions.set(id, listener);
    return { id, stop: () => void this.#subscriptions.delete(id) };
  }

  /** Sends a message to another worker, in order and at most once. Returns false for one that is too large. */
  send(to: number, channel: string, message: unknown, options: SendOptions = {}): boolean {
    const { isRefusable = false, maxBytes = Number.POSITIVE_INFINITY, onUndelivered } = options;
    const id = this.#nextId();
    const body = toJsonBody([channel, message] satisfies Envelope);
    if (body.length > maxBytes) return false;
    if (this.#isClosed || (isRefusable && this.#pipe.isFull)) onUndelivered?.(this.#isClosed ? "gone" : "busy");
    else {
      if (onUndelivered) this.#remember(id, onUndelivered);
      const kind = isRefusable ? frameKind.refusableMessage : frameKind.message;
      this.#pipe.send({ kind, peer: to, id, body });
    }
    return true;
  }

  /** Sends a message to all other workers. */
  broadcast(channel: string, message: unknown): void {
    this.#pipe.send({ kind: frameKind.message, body: toJsonBody([channel, message] satisfies Envelope) });
  }

  /** Receives the messages of a channel. Returns a function that stops receiving. */
  listen<Message>(channel: string, listener: (from: number, message: Message) => void): () => void {
    const listeners = this.#channels.get(channel) ?? new Set();
    const added = listener as (from: number, message: never) => void;
    this.#channels.set(channel, listeners.add(added));
    return () => void listeners.delete(added);
  }

  onPeers(listener: (peers: readonly WorkerPeer[]) => void): () => void {
    this.#peersListeners.add(listener);
    return () => void this.#peersListeners.delete(listener);
  }

  onControl(listener: (message: ControlMessage) => void): () => void {
    this.#controlListeners.add(listener);
    return () => void this.#controlListeners.delete(listener);
  }

  /** Calls the listener when the parent is gone. */
  onClose(listener: () => void): () => void {
    if (this.#isClosed) listener();
    else this.#closeListeners.add(listener);
    return () => void this.#closeListeners.delete(listener);
  }

  control(message: ControlMessage): void {
    this.#pipe.send({ kind: frameKind.control, body: toJsonBody(message) });
  }

  close(): void {
    this.#pipe.close("closed");
  }

  /** Lets the process end although the link is open. */
  unref(): void {
    this.#pipe.unref();
  }

  #receive({ kind, peer, id, body }: Frame): void {
    switch (kind) {
      case frameKind.answer:
        this.#take(id)?.resolve(parseJson(body));
        break;
      case frameKind.failure:
        this.#take(id)?.reject(fromCarriedError(parseJson(body) as CarriedError));
        break;
      case frameKind.event:
        this.#subscriptions.get(id)?.(parseJson(body) as never);
        break;
      case frameKind.message:
        this.#receiveMessage(peer, parseJson(body) as Envelope);
        break;
      case frameKind.undelivered:
        this.#undelivered.get(id)?.(parseJson(body) as UndeliveredReason);
        this.#undelivered.delete(id);
        break;
      case frameKind.peers:
        this.#peers = parseJson(body) as readonly WorkerPeer[];
        for (const listener of this.#peersListeners) listener(this.#peers);
        break;
      case frameKind.ping:
        this.#pipe.send({ kind: frameKind.pong });
        break;
      case frameKind.control: {
        const message = parseJson(body) as ControlMessage;
        for (const listener of this.#controlListeners) listener(message);
      }
    }
  }

  #receiveMessage(from: number, [channel, message]: Envelope): void {
    for (const listener of this.#channels.get(channel) ?? []) listener(from, message as never);
  }

  #take(id: number): WaitingRequest | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** The parent answers only when it fails to deliver, so the oldest are taken as delivered. */
  #remember(id: number, onUndelivered: (reason: UndeliveredReason) => void): void {
    const [oldest] = this.#undelivered.keys();
    if (oldest !== undefined && this.#undelivered.size >= 4 * this.#maxRequests) this.#undelivered.delete(oldest);
    this.#undelivered.set(id, onUndelivered);
  }

  #nextId(): number {
    this.#lastId = this.#lastId === lastId ? 1 : this.#lastId + 1;
    return this.#lastId;
  }

  #close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values())
      reject(overloaded("the parent of this worker is gone", retryAfterMs));
    this.#waiting.clear();
    for (const listener of this.#closeListeners) listener();
  }
}

// Streamable HTTP of the legacy revisions as a message wire. Each request has a stream of its own, which is resumed if the server
// supports that. A GET stream carries all other messages.
import {
  isMcpError,
  isRequest,
  isResponse,
  type JsonRpcMessage,
  type JsonRpcRequest,
  notificationMethod,
  OpenMap,
  type RequestId,
} from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import { pause } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { handOver } from "../call/hand-over.ts";
import { processHttpReply } from "../call/process-response.ts";
import { readMessages, refusalOf } from "../call/read-messages.ts";
import { SparseSet } from "../call/sparse-collections.ts";
import { TransportError } from "../call/transport-error.ts";
import { warnOnce } from "../call/warn-once.ts";
import { type FilledHttpOptions, fillHttpOptions, type HttpOptions } from "../http/http-options.ts";
import type { HttpAnswer, HttpSend } from "../http/http-send.ts";
import { parseRetryAfter } from "../http/retry-after.ts";
import { toTransportError } from "../http/to-transport-error.ts";
import { isEventStream, readEvents, retryDelayOf, type StreamCursor } from "./event-stream.ts";
import { keepListening } from "./get-stream.ts";
import { createHttpSession, type HttpSession } from "./http-session.ts";
import { SessionLostError, type SessionWire } from "./session-wire.ts";

const unlimited = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };
/** Attempts to resume one broken stream. */
const maxResumes = 5;
/** Before a stream is resumed, in milliseconds, unless the server gave a time. */
const usualRetryMs = 1_000;

export interface StreamableHttpOptions extends HttpOptions {
  /** When to open the GET stream. Default "always". */
  getStream?: "always" | "in-session";
}

export class StreamableHttpWire implements SessionWire {
  readonly peer: string;
  readonly closed: Promise<TransportError>;
  onMessage: SessionWire["onMessage"] = () => {};
  onSessionLost: SessionWire["onSessionLost"] = () => {};
  onGap: SessionWire["onGap"] = () => {};
  onActivity: SessionWire["onActivity"] = () => {};
  readonly #session: HttpSession;
  readonly #settings: FilledHttpOptions;
  readonly #opensGetStream: "always" | "in-session";
  readonly #warn: (warning: string) => void;
  /** The deadlines of open requests. Aborting one breaks off its request. */
  readonly #open: OpenMap<Deadline> = new OpenMap();
  /** The deadlines of messages that are no requests. */
  readonly #sending: SparseSet<Deadline> = new SparseSet();
  #generation = 1;
  #getStream: Deadline | undefined;
  #ended: TransportError | undefined;
  #resolveClosed: (error: TransportError) => void = () => {};

  constructor(url: URL, send: HttpSend, options: StreamableHttpOptions = {}) {
    this.#settings = fillHttpOptions(options);
    this.#opensGetStream = options.getStream ?? "always";
    this.#session = createHttpSession(url, send, this.#settings);
    this.#warn = warnOnce(this.#settings.onWarning);
    this.peer = this.#session.peer;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  get generation(): number {
    return this.#generation;
  }

  get isNamed(): boolean {
    return this.#session.isNamed();
  }

  send(message: JsonRpcMessage): Promise<void> {
    return isRequest(message) ? this.#request(message) : this.#sendMessage(message);
  }

  agree(revision: LegacyRevision): void {
    this.#session.agree(revision);
  }

  open(): void {
    if (this.#opensGetStream === "in-session" && !this.#session.isNamed()) return;
    const { maxEventBytes, memory, share } = this.#settings;
    const stream = new Deadline(this.peer, unlimited, undefined);
    this.#getStream = stream;
    const listening = keepListening(this.#session, stream, {
      ...{ maxEventBytes, memory, share },
      onEvent: ({ event, data }) => {
        if (event === "message") this.#receiveUnsolicited(data);
        return false;
      },
      onGap: () => this.onGap(),
      onRefused: async (status) => {
        if (!(await this.#isSessionKnown(status))) this.onSessionLost();
      },
    });
    void listening.then(() => {
      if (this.#getStream === stream) this.#getStream = undefined;
    });
  }

  reset(): void {
    this.#generation += 1;
    this.#getStream?.abort(new TransportError("closed", "the session is over"));
    this.#session.reset();
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = new TransportError("closed", `the connection to ${this.peer} was closed`);
    this.#getStream?.abort(this.#ended);
    for (const deadline of [...this.#open.values, ...this.#sending]) deadline.abort(this.#ended);
    await this.#session.delete();
    this.#resolveClosed(this.#ended);
  }

  /** Runs one exchange, which `close` breaks off. `id` is the id of a request. */
  async #exchange(id: RequestId | undefined, run: (deadline: Deadline) => Promise<void>): Promise<void> {
    if (this.#ended) throw this.#ended;
    const deadline = new Deadline(this.peer, unlimited, undefined);
    if (id === undefined) this.#sending.add(deadline);
    else this.#open.add(id, deadline);
    try {
      await run(deadline);
    } catch (thrown) {
      throw isMcpError(thrown) ? thrown : toTransportError(this.peer, thrown);
    } finally {
      if (id === undefined) this.#sending.delete(deadline);
      else this.#open.take(id);
      deadline.clear();
    }
  }

  async #request(message: JsonRpcRequest): Promise<void> {
    await this.#exchange(message.id, async (deadline) => {
      const generation = this.#generation;
      const { maxBodyBytes, memory } = this.#settings;
      const answer = await this.#session.post(message, deadline);
      if (isEventStream(answer)) await this.#readStream(answer, generation, message, deadline);
      else if (answer.status === 200) this.#deliver(await answer.text(maxBodyBytes, memory), message);
      else throw await this.#toError(answer, generation, message.method, message.id);
    });
  }

  // J-49: a body without a response to the request is invalid, and the request is not repeated.
  #deliver(text: string, { id, method }: JsonRpcRequest): void {
    const messages = readMessages(text, `${method} to ${this.peer}`);
    if (!messages.some((message) => isResponseTo(id, message))) {
      throw new TransportError("invalid", `${method} to ${this.peer}: the answer holds no response to it`);
    }
    for (const message of messages) handOver(this, message, id);
  }

  async #readStream(first: HttpAnswer, generation: number, message: JsonRpcRequest, deadline: Deadline): Promise<void> {
    const { id, method } = message;
    const { maxEventBytes, memory, share } = this.#settings;
    const cursor: StreamCursor = { lastEventId: undefined, retryMs: undefined };
    const reader = {
      ...{ maxEventBytes, memory, share },
      onActivity: () => this.onActivity(id),
      onEvent: ({ event, data }: { event: string; data: string }) =>
        event === "message" && this.#receiveText(data, method, id),
    };
    let answer = first;
    while (!(await readEvents(answer, cursor, reader))) {
      if (deadline.aborted) throw deadline.reason;
      answer = await this.#resume(message, generation, cursor, deadline);
    }
  }

  /** Returns true for the response to the request `id`. */
  #receiveText(data: string, what: string, id: RequestId | undefined): boolean {
    const messages = readMessages(data, `${what} to ${this.peer}`);
    for (const message of messages) handOver(this, message, id);
    return id !== undefined && messages.some((message) => isResponseTo(id, message));
  }

  #receiveUnsolicited(data: string): void {
    try {
      this.#receiveText(data, "a message", undefined);
    } catch (error) {
      this.#warn((error as Error).message);
      const refusal = refusalOf(data, error as TransportError);
      if (refusal) this.#sendMessage(refusal).catch(() => {});
    }
  }

  /** Resumes the stream of a POST by GET, after the retry time of the server. */
  async #resume(
    { method }: JsonRpcRequest,
    generation: number,
    cursor: StreamCursor,
    deadline: Deadline,
  ): Promise<HttpAnswer> {
    const lost = new TransportError("lost", `${method} to ${this.peer}: the stream ended without a response`);
    if (cursor.lastEventId === undefined) throw lost;
    for (let attempt = 1; attempt <= maxResumes; attempt++) {
      await pause(retryDelayOf(cursor, usualRetryMs) * attempt, deadline);
      const answer = await this.#session.get(cursor.lastEventId, deadline).catch(() => undefined);
      if (answer && isEventStream(answer)) return answer;
      answer?.discard();
      if (!answer || answer.status >= 500) continue;
      if (generation === this.#generation && !(await this.#isSessionKnown(answer.status))) this.onSessionLost();
      throw lost;
    }
    throw lost;
  }

  /** Sends a notification or a response. */
  async #sendMessage(message: JsonRpcMessage): Promise<void> {
    await this.#exchange(undefined, async (deadline) => {
      const generation = this.#generation;
      const answer = await this.#session.post(message, deadline);
      if (answer.status >= 300) throw await this.#toError(answer, generation, "a message");
      answer.discard();
    });
    if (!("method" in message) || message.method !== notificationMethod.cancelled) return;
    // No response follows a cancellation, and the stream of the request may stay open for ever.
    this.#open.get(message.params?.requestId)?.abort(new TransportError("cancelled", "cancelled by the caller"));
  }

  /** The error that a status other than success means for its message. */
  async #toError(answer: HttpAnswer, generation: number, what: string, id?: RequestId): Promise<unknown> {
    const { status } = answer;
    const { maxBodyBytes, memory } = this.#settings;
    const contentType = answer.headers("content-type");
    const retryAfterMs = parseRetryAfter(answer.headers("retry-after"), Date.now());
    const text = await answer.text(maxBodyBytes, memory);
    if (generation !== this.#generation || !(await this.#isSessionKnown(status))) {
      return new SessionLostError(this.peer, generation);
    }
    try {
      processHttpReply({ status, contentType, text, retryAfterMs }, { server: this.peer, method: what, id: id ?? "" });
    } catch (error) {
      return error;
    }
    return new TransportError("invalid", `${what} to ${this.peer}: status ${status} with a result`, { status });
  }

  /** A rejection may concern the session or the message, and its text does not tell. A ping decides. */
  async #isSessionKnown(status: number): Promise<boolean> {
    if (!this.#session.isNamed()) return true;
    if (status === 404) return false;
    return status !== 400 && status !== 500 ? true : await this.#session.isAlive();
  }
}

function isResponseTo(id: RequestId, message: JsonRpcMessage): boolean {
  return isResponse(message) && (message.id === id || message.id === undefined);
}

// Streamable HTTP of the legacy revisions as a message wire (D-33 to D-37): each request has a stream of its own, which is
// resumed when the server can; a GET stream carries the rest.
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
import { pause } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { handOver } from "../call/hand-over.ts";
import { processHttpReply } from "../call/process-response.ts";
import { readMessages, refusalOf } from "../call/read-messages.ts";
import { TransportError } from "../call/transport-error.ts";
import { warnOnce } from "../call/warn-once.ts";
import { fillHttpOptions, type HttpOptions } from "../http/http-options.ts";
import type { HttpAnswer, HttpSend } from "../http/http-send.ts";
import { parseRetryAfter } from "../http/retry-after.ts";
import { toTransportError } from "../http/to-transport-error.ts";
import { isEventStream, readEvents, retryDelayOf, type StreamCursor } from "./event-stream.ts";
import { keepListening } from "./get-stream.ts";
import { createHttpSession } from "./http-session.ts";
import { SessionLostError, type SessionWire } from "./session-wire.ts";

const unlimited = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };
const maxResumes = 5;
const usualRetryMs = 1_000;

export interface StreamableHttpOptions extends HttpOptions {
  /** Default "always". */
  getStream?: "always" | "in-session";
}

export function createStreamableHttpWire(url: URL, send: HttpSend, options: StreamableHttpOptions = {}): SessionWire {
  const settings = fillHttpOptions(options);
  const { maxBodyBytes, maxEventBytes, memory, share } = settings;
  const session = createHttpSession(url, send, settings);
  const { peer } = session;
  const warn = warnOnce(settings.onWarning);
  /** Break off what is on its way: all of it when the wire closes, one request when it is cancelled. */
  const open = new OpenMap<Deadline>();
  const telling = new Set<Deadline>();
  let generation = 1;
  let getStream: Deadline | undefined;
  let ended: TransportError | undefined;
  let end: (error: TransportError) => void = () => {};
  const closed = new Promise<TransportError>((resolve) => {
    end = resolve;
  });

  /** `id` is that of a request. */
  async function within(id: RequestId | undefined, run: (deadline: Deadline) => Promise<void>): Promise<void> {
    if (ended) throw ended;
    const deadline = new Deadline(peer, unlimited, undefined);
    if (id === undefined) telling.add(deadline);
    else open.add(id, deadline);
    try {
      await run(deadline);
    } catch (thrown) {
      throw isMcpError(thrown) ? thrown : toTransportError(peer, thrown);
    } finally {
      if (id === undefined) telling.delete(deadline);
      else open.take(id);
      deadline.clear();
    }
  }

  async function request(message: JsonRpcRequest): Promise<void> {
    await within(message.id, async (deadline) => {
      const asked = generation;
      const answer = await session.post(message, deadline);
      if (isEventStream(answer)) await follow(answer, asked, message, deadline);
      else if (answer.status === 200) await deliver(await answer.text(maxBodyBytes, memory), message);
      else throw await toRefusal(answer, asked, message.method, message.id);
    });
  }

  /** J-49: an answer that holds no response to our request has lost it. */
  async function deliver(text: string, { id, method }: JsonRpcRequest): Promise<void> {
    const messages = readMessages(text, `${method} to ${peer}`);
    if (!messages.some((message) => isAnswerTo(id, message))) {
      throw new TransportError("invalid", `${method} to ${peer}: the answer holds no response to it`);
    }
    for (const message of messages) handOver(wire, message, id);
  }

  async function follow(first: HttpAnswer, asked: number, message: JsonRpcRequest, deadline: Deadline): Promise<void> {
    const { id, method } = message;
    const cursor: StreamCursor = { lastEventId: undefined, retryMs: undefined };
    const reader = {
      ...{ maxEventBytes, memory, share },
      onActivity: () => wire.onActivity(id),
      onEvent: ({ event, data }: { event: string; data: string }) => event === "message" && hear(data, method, id),
    };
    let answer = first;
    while (!(await readEvents(answer, cursor, reader))) {
      if (deadline.aborted) throw deadline.reason;
      answer = await resume(message, asked, cursor, deadline);
    }
  }

  /** True for the response to the request `id`. */
  function hear(data: string, what: string, id: RequestId | undefined): boolean {
    const messages = readMessages(data, `${what} to ${peer}`);
    for (const message of messages) handOver(wire, message, id);
    return id !== undefined && messages.some((message) => isAnswerTo(id, message));
  }

  function hearStray(data: string): void {
    try {
      hear(data, "a message", undefined);
    } catch (error) {
      warn((error as Error).message);
      const refusal = refusalOf(data, error as TransportError);
      if (refusal) tell(refusal).catch(() => {});
    }
  }

  /** D-35: by GET, also for the stream of a POST, after the time that the server asked for. */
  async function resume(
    { method }: JsonRpcRequest,
    asked: number,
    cursor: StreamCursor,
    deadline: Deadline,
  ): Promise<HttpAnswer> {
    const lost = new TransportError("lost", `${method} to ${peer}: the stream ended without a response`);
    if (cursor.lastEventId === undefined) throw lost;
    for (let attempt = 1; attempt <= maxResumes; attempt++) {
      await pause(retryDelayOf(cursor, usualRetryMs) * attempt, deadline);
      const answer = await session.get(cursor.lastEventId, deadline).catch(() => undefined);
      if (answer && isEventStream(answer)) return answer;
      answer?.discard();
      if (!answer || answer.status >= 500) continue;
      if (asked === generation && !(await isStillKnown(answer.status))) wire.onSessionLost();
      throw lost;
    }
    throw lost;
  }

  async function tell(message: JsonRpcMessage): Promise<void> {
    await within(undefined, async (deadline) => {
      const asked = generation;
      const answer = await session.post(message, deadline);
      if (answer.status >= 300) throw await toRefusal(answer, asked, "a message");
      answer.discard();
    });
    if (!("method" in message) || message.method !== notificationMethod.cancelled) return;
    // No response will come (D-27), and the stream for it may stay open for ever.
    open.get(message.params?.requestId)?.abort(new TransportError("cancelled", "cancelled by the caller"));
  }

  /** What a status that is no success means for the message that got it. */
  async function toRefusal(answer: HttpAnswer, asked: number, what: string, id?: RequestId): Promise<unknown> {
    const { status } = answer;
    const contentType = answer.headers("content-type");
    const retryAfterMs = parseRetryAfter(answer.headers("retry-after"), Date.now());
    const text = await answer.text(maxBodyBytes, memory);
    if (asked !== generation || !(await isStillKnown(status))) return new SessionLostError(peer, asked);
    try {
      processHttpReply({ status, contentType, text, retryAfterMs }, { server: peer, method: what, id: id ?? "" });
    } catch (error) {
      return error;
    }
    return new TransportError("invalid", `${what} to ${peer}: status ${status} with a result`, { status });
  }

  /** A refusal may be about the session or about the message, whatever it says: a ping tells (J-49). */
  async function isStillKnown(status: number): Promise<boolean> {
    if (!session.isNamed) return true;
    if (status === 404) return false;
    return status !== 400 && status !== 500 ? true : await session.isAlive();
  }

  const wire: SessionWire = {
    peer,
    send: (message) => (isRequest(message) ? request(message) : tell(message)),
    onMessage: () => {},
    onSessionLost: () => {},
    onGap: () => {},
    onActivity: () => {},
    closed,
    agree: session.agree,
    open() {
      if (options.getStream === "in-session" && !session.isNamed) return;
      getStream = new Deadline(peer, unlimited, undefined);
      void keepListening(session, getStream, {
        ...{ maxEventBytes, memory, share },
        onEvent({ event, data }) {
          if (event === "message") hearStray(data);
          return false;
        },
        onGap: () => wire.onGap(),
        onRefused: async (status) => {
          if (!(await isStillKnown(status))) wire.onSessionLost();
        },
      });
    },
    get generation() {
      return generation;
    },
    get isNamed() {
      return session.isNamed;
    },
    reset() {
      generation += 1;
      getStream?.abort(new TransportError("closed", "the session is over"));
      session.reset();
    },
    async close() {
      if (ended) return;
      ended = new TransportError("closed", `the connection to ${peer} was closed`);
      getStream?.abort(ended);
      for (const deadline of [...open.values, ...telling]) deadline.abort(ended);
      await session.delete();
      end(ended);
    },
  };
  return wire;
}

function isAnswerTo(id: RequestId, message: JsonRpcMessage): boolean {
  return isResponse(message) && (message.id === id || message.id === undefined);
}

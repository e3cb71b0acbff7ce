// One request over HTTP: a POST with its mirrored headers, and its response as JSON or as an event stream (B-70).
import { type Exchange, isMcpError, type ModernRequest, method, type Result, toMirroredHeaders } from "@lethe/protocol";
import { ConvertingExchange, otherRevisionOf, type Revision } from "@lethe/protocol/revisions";
import { pause } from "../call/cancel-signal.ts";
import type { Deadline } from "../call/deadline.ts";
import { type Expectation, processHttpReply, processResponse, toExpectation } from "../call/process-response.ts";
import { excerptOf, TransportError } from "../call/transport-error.ts";
import { nameOfEndpoint } from "./endpoint.ts";
import type { FilledHttpOptions } from "./http-options.ts";
import type { HttpAnswer, HttpSend } from "./http-send.ts";
import { readStream } from "./read-stream.ts";
import { mayBeRepeated } from "./retries.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { subscriptionTranslation } from "./subscription-id.ts";
import { toTransportError } from "./to-transport-error.ts";
import { createToolHeaders } from "./tool-headers.ts";
import { addTraceHeaders } from "./trace-headers.ts";

/** Sends a request. Repeats it once if the server is busy and says for how long. */
export type Post = (request: ModernRequest, exchange: Exchange, deadline: Deadline) => Promise<Result>;

export function createPost(url: URL, send: HttpSend, settings: FilledHttpOptions): Post {
  const server = nameOfEndpoint(url);
  const toolHeaders = createToolHeaders(settings.onWarning);
  let lastId = 0;

  /** Ids of this connection: several senders share it with ids of their own, and a retry needs a new id. */
  function expect(request: ModernRequest): Expectation {
    lastId += 1;
    return toExpectation(server, lastId, request);
  }

  async function transmit(
    request: ModernRequest,
    revision: Revision | undefined,
    expected: Expectation,
    deadline: Deadline,
  ): Promise<HttpAnswer> {
    const own = settings.headers();
    const headers = toMirroredHeaders(request);
    addTraceHeaders(headers, request.params);
    Object.assign(headers, own instanceof Promise ? await own : own);
    headers["content-type"] = "application/json";
    headers.accept = "application/json, text/event-stream";
    if (request.method === method.callTool) Object.assign(headers, toolHeaders.of(request));
    const params = revision ? revision.toServerParams(request.method, request.params) : request.params;
    // Undefined members are left out: a notification has no id.
    const id = request.isNotification ? undefined : expected.id;
    const body = JSON.stringify({ jsonrpc: "2.0", method: request.method, params, id });
    try {
      const isLasting = request.method === method.listen;
      const answer = await send({ url, method: "POST", headers, body, signal: deadline, isLasting });
      request.onHttpHeads?.({ sent: headers, status: answer.status, received: (name) => answer.headers(name) });
      return answer;
    } catch (thrown) {
      throw toTransportError(`${request.method} to ${server}`, thrown);
    }
  }

  /** Rejects with TransportError if the server does not accept the notification. */
  async function sendNotification(request: ModernRequest, deadline: Deadline): Promise<Result> {
    const answer = await transmit(request, otherRevisionOf(request), expect(request), deadline);
    answer.discard();
    const { status } = answer;
    if (status >= 200 && status < 300) return { resultType: "complete" };
    throw new TransportError("invalid", `${request.method} to ${server}: status ${status}`, { status });
  }

  async function read(answer: HttpAnswer, expected: Expectation, exchange: Exchange, deadline: Deadline) {
    const { status } = answer;
    const contentType = answer.headers("content-type");
    if (status === 200 && isEventStream(contentType)) {
      const { maxEventBytes, memory, share } = settings;
      const context = { expected, exchange, deadline, maxEventBytes, memory, share };
      return processResponse(await readStream(answer, context), expected);
    }
    if (status >= 300 && status < 400) throw refuseRedirect(answer, expected);
    const text = await answer.text(settings.maxBodyBytes, settings.memory);
    return processHttpReply({ status, contentType, text, retryAfterMs: retryDelayOf(answer) }, expected);
  }

  return async (request, exchange, deadline) => {
    if (request.isNotification) return sendNotification(request, deadline);
    let expected = expect(request);
    const revision = otherRevisionOf(request);
    let answer = await transmit(request, revision, expected, deadline);
    const delayMs = retryDelayOf(answer);
    let refusal: unknown;
    try {
      if (delayMs !== undefined && delayMs < deadline.remainingMs()) {
        refusal = await read(answer, expected, exchange, deadline).catch((thrown: unknown) => thrown);
        // With retries, the caller of `post` repeats it.
        if (settings.retries && mayBeRepeated(refusal)) throw refusal;
        await pause(delayMs, deadline);
        deadline.touch();
        expected = expect(request);
        answer = await transmit(request, revision, expected, deadline);
      }
      if (request.method === method.listen) {
        const { toOwnExchange, toOwnResult } = subscriptionTranslation(expected.id, request.id);
        const own = fromServer(revision, toOwnExchange(exchange));
        return toOwnResult(await read(answer, expected, own, deadline));
      }
      const answered = await read(answer, expected, fromServer(revision, exchange), deadline);
      const result = revision ? revision.fromServerResult(request.method, answered) : answered;
      // A later revision may describe tools otherwise.
      return request.method === method.listTools && !expected.isLater ? toolHeaders.learn(result) : result;
    } catch (thrown) {
      if (!isMcpError(thrown)) throw withRefusal(toTransportError(`${request.method} to ${server}`, thrown), refusal);
      throw revision ? revision.fromServerError(request.method, thrown, request.params) : thrown;
    }
  };
}

/** Converts the notifications of a server of another revision than the model's. */
function fromServer(revision: Revision | undefined, exchange: Exchange): Exchange {
  return revision ? new ConvertingExchange(exchange, revision.fromServerNotification) : exchange;
}

/** How long a busy server asks to wait, in ms. */
function retryDelayOf(answer: HttpAnswer): number | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  return parseRetryAfter(answer.headers("retry-after"), Date.now());
}

/** Adds to a timeout why the server did not answer the first attempt. */
function withRefusal(error: TransportError, refusal: unknown): TransportError {
  if (error.reason !== "timeout" || !(refusal instanceof Error) || refusal === error) return error;
  const message = `${error.message}; it was busy before: ${refusal.message}`;
  return new TransportError("timeout", message, { cause: refusal });
}

/** Not followed: a redirect to another origin would send credentials and arguments there. */
function refuseRedirect(answer: HttpAnswer, { server, method: name }: Expectation): TransportError {
  const { status } = answer;
  const location = answer.headers("location");
  answer.discard();
  const target = location === undefined ? "an unnamed place" : excerptOf(location);
  const message = `${name} to ${server}: status ${status} redirects to ${target}; redirects are not followed, use that URL`;
  return new TransportError("redirect", message, { status });
}

function isEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*text\/event-stream\s*(;|$)/i.test(contentType);
}

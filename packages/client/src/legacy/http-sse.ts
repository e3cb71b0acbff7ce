// HTTP+SSE of 2024-11-05 as a message wire: one stream carries all messages, and names the endpoint for POST requests.
import type { JsonRpcMessage, KnownOptions, SseEvent } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";
import { Deadline } from "../call/deadline.ts";
import { handOver } from "../call/hand-over.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { answeredIdOf, readMessages, refusalOf } from "../call/read-messages.ts";
import { excerptOf, TransportError } from "../call/transport-error.ts";
import { warnOnce } from "../call/warn-once.ts";
import { nameOfEndpoint } from "../http/endpoint.ts";
import { fillHttpOptions, type HttpOptions, knownHttpOptions } from "../http/http-options.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "../http/http-send.ts";
import { toTransportError } from "../http/to-transport-error.ts";
import { addTraceHeaders } from "../http/trace-headers.ts";
import { isEventStream, readEvents } from "./event-stream.ts";

const unlimited = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };

export interface HttpSseOptions extends HttpOptions {
  /** How long the server may take to name its endpoint, in milliseconds. Default 30,000. */
  connectTimeoutMs?: number;
  /** Aborts connecting. An open connection is not affected. */
  signal?: CancelSignal;
}

export const knownHttpSseOptions: KnownOptions<HttpSseOptions> = {
  ...knownHttpOptions,
  connectTimeoutMs: true,
  signal: true,
};

/** Rejects with TransportError when the server does not open the stream. */
export async function openHttpSse(url: URL, send: HttpSend, options: HttpSseOptions = {}): Promise<MessageWire> {
  const settings = fillHttpOptions(options);
  const { connectTimeoutMs = 30_000 } = options;
  const peer = nameOfEndpoint(url);
  const warn = warnOnce(settings.onWarning);
  const life = new Deadline(peer, unlimited, undefined);
  const limits = { timeoutMs: connectTimeoutMs, maxTotalMs: connectTimeoutMs };
  const opening = new Deadline(`GET ${peer}`, limits, options.signal);
  if (opening.aborted) throw opening.reason;
  opening.addEventListener("abort", () => life.abort(opening.reason));
  let endpoint: URL | undefined;
  let end: (error: TransportError) => void = () => {};
  const closed = new Promise<TransportError>((resolve) => {
    end = resolve;
  });

  async function transmit(request: Pick<HttpRequest, "url" | "method" | "headers"> & { body?: string }) {
    const headers = { ...(await settings.headers()), ...request.headers };
    try {
      return await send({ ...request, headers, signal: life });
    } catch (thrown) {
      throw toTransportError(`${request.method} to ${peer}`, thrown);
    }
  }

  async function post(message: JsonRpcMessage): Promise<void> {
    if (life.aborted) throw life.reason;
    const headers = toPostHeaders(message);
    const answer = await transmit({ url: endpoint ?? url, method: "POST", headers, body: JSON.stringify(message) });
    if (answer.status >= 300) throw await toStatusError(answer, "POST");
    // D-32: the body is empty; responses come on the stream.
    answer.discard();
  }

  async function toStatusError(answer: HttpAnswer, what: string): Promise<TransportError> {
    const { status } = answer;
    const text = await answer.text(settings.maxBodyBytes, settings.memory).catch(() => "");
    const reason = status === 401 || status === 403 ? "unauthorized" : "status";
    return new TransportError(reason, `${what} to ${peer}: status ${status}, ${excerptOf(text)}`, { status });
  }

  function hear(data: string): void {
    try {
      for (const message of readMessages(data, peer)) handOver(wire, message);
    } catch (error) {
      warn((error as Error).message);
      const id = answeredIdOf(data);
      if (id !== undefined) wire.onInvalid?.(id, error as TransportError);
      const refusal = refusalOf(data, error as TransportError);
      if (refusal) post(refusal).catch(() => {});
    }
  }

  const wire: MessageWire = {
    peer,
    send: post,
    onMessage: () => {},
    closed,
    async close() {
      life.abort(new TransportError("closed", `the connection to ${peer} was closed`));
    },
  };

  const asking = transmit({ url, method: "GET", headers: { accept: "text/event-stream" } });
  const answer = await asking.catch((error: unknown) => {
    opening.clear();
    throw error;
  });
  if (!isEventStream(answer)) {
    opening.clear();
    throw await toStatusError(answer, "GET");
  }
  await new Promise<void>((resolve, reject) => {
    const reader = {
      maxEventBytes: settings.maxEventBytes,
      memory: settings.memory,
      share: settings.share,
      onEvent({ event, data }: SseEvent): boolean {
        if (endpoint && event === "message") hear(data);
        if (!endpoint && event === "endpoint") {
          endpoint = toEndpoint(data, url);
          opening.clear();
          resolve();
        }
        return false;
      },
    };
    const broken = () => new TransportError("lost", `${peer} ended the event stream`);
    void readEvents(answer, { lastEventId: undefined, retryMs: undefined }, reader)
      .then(broken, (error: TransportError) => error)
      .then((error) => {
        opening.clear();
        const reason = life.aborted ? (life.reason as TransportError) : error;
        life.abort(reason);
        end(reason);
        reject(reason);
      });
  });
  return wire;
}

function toPostHeaders(message: JsonRpcMessage): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
  if ("method" in message) addTraceHeaders(headers, message.params);
  return headers;
}

/** Resolves the endpoint relative to the stream. Refuses another origin, which would receive requests meant for this server. */
function toEndpoint(data: string, url: URL): URL {
  const endpoint = URL.canParse(data, url) ? new URL(data, url) : undefined;
  if (endpoint?.origin === url.origin) return endpoint;
  const message = `${nameOfEndpoint(url)}: expected an endpoint at ${url.origin}, got ${excerptOf(data)}`;
  throw new TransportError("invalid", message);
}

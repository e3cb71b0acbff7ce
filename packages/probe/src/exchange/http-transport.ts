// Sends HTTP requests to one address, each on a fresh connection, follows no redirect, and records what comes back.
import type { HttpAnswer } from "@lethe/client";
import { createSseDecoder, type JsonRpcNotification, type JsonRpcRequest, type RequestId } from "@lethe/protocol";
import { type Answer, type Exchange, keptBody, type Sent, sessionHeader, toldHeaders } from "./exchange.ts";
import { type HttpConnection, openConnection, toSilence } from "./http-connection.ts";
import { type Heard, readMessages } from "./read-answer.ts";
import type { Recorder } from "./recorder.ts";

export interface HttpTransport {
  readonly url: URL;
  readonly recorder: Recorder;
  readonly timeoutMs: number;
  /** Rejects with BudgetSpent or the signal's reason, never for what the server does. */
  send(what: string, plan: HttpPlan): Promise<Exchange>;
  /** Starts a GET whose event stream stays open. The reader must close it. */
  open(): { sent: Sent; connection: HttpConnection };
  /** Every session id that an answer mentioned, in order of appearance. */
  readonly sessions: ReadonlySet<string>;
  /** Those of `sessions` that came only with errors, because some servers add an id to every answer. */
  readonly doubtful: ReadonlySet<string>;
}

export interface HttpPlan {
  /** Default POST. */
  readonly via?: "POST" | "DELETE";
  /** Replaces the URL of the transport: the endpoint of HTTP+SSE. */
  readonly url?: URL;
  /** Added to the headers of the target. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sessionId?: string | undefined;
  readonly message?: JsonRpcRequest | JsonRpcNotification;
  readonly isCleanUp?: boolean;
  /** Shorter than the time limit of the transport, for requests that may stay unanswered. In ms. */
  readonly timeoutMs?: number;
  /** Reads the answer elsewhere if the POST has none: from the stream of HTTP+SSE. */
  readElsewhere?(id: RequestId, heard: Heard): Promise<void>;
}

export interface HttpTransportOptions {
  recorder: Recorder;
  /** The headers of the target, sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Time limit of each request until its answer is complete, in ms. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Receives each session id when it first appears. */
  onSession?: ((id: string) => void) | undefined;
}

const maxAnswerBytes = 8 * 1024 * 1024;

export function createHttpTransport(url: URL, options: HttpTransportOptions): HttpTransport {
  const { recorder, onSession } = options;
  const own = toOwnHeaders(options.headers ?? {});
  const sessions = new Set<string>();
  const doubtful = new Set<string>();

  async function send(what: string, plan: HttpPlan): Promise<Exchange> {
    const { isCleanUp = false } = plan;
    // Clean-up continues after the probe was aborted.
    const signal = isCleanUp ? undefined : options.signal;
    signal?.throwIfAborted();
    const number = recorder.begin(what, { isCleanUp });
    const sent = toSent(plan);
    const startedAt = performance.now();
    const timeoutMs = Math.min(plan.timeoutMs ?? options.timeoutMs, options.timeoutMs);
    const connection = openConnection(sent, { timeoutMs, signal });
    const came: Came = { headers: {}, body: "", asked: [] };
    try {
      const id = idOf(plan.message);
      await readAnswer(await connection.answer, id, came);
      if (id !== undefined && !came.answer && isSuccess(came.status)) await plan.readElsewhere?.(id, came);
    } catch (error) {
      signal?.throwIfAborted();
      came.answer ??= toSilence(error, timeoutMs);
    } finally {
      connection.close();
    }
    const answer = toAnswer(came);
    noteSession(came.headers[sessionHeader], answer.kind === "error" || !isSuccess(came.status));
    const ms = performance.now() - startedAt;
    return recorder.end({ number, what, sent, ...came, answer, ms });
  }

  function toSent({ via = "POST", url: address = url, headers, sessionId, message }: HttpPlan): Sent {
    const all: Record<string, string> = { ...own, accept: "application/json, text/event-stream", ...headers };
    if (message) all["content-type"] = "application/json";
    if (sessionId !== undefined) all[sessionHeader] = sessionId;
    return { via, address: address.href, headers: all, ...(message && { body: JSON.stringify(message) }) };
  }

  function open() {
    options.signal?.throwIfAborted();
    const sent: Sent = { via: "GET", address: url.href, headers: { ...own, accept: "text/event-stream" } };
    return { sent, connection: openConnection(sent, options) };
  }

  function noteSession(id: string | undefined, isError: boolean): void {
    if (!id) return;
    if (!isError) doubtful.delete(id);
    if (sessions.has(id)) return;
    sessions.add(id);
    if (isError) doubtful.add(id);
    recorder.reserve();
    onSession?.(id);
  }

  return { url, recorder, timeoutMs: options.timeoutMs, send, open, sessions, doubtful };
}

interface Came extends Heard {
  status?: number;
  headers: Record<string, string>;
  body: string;
}

/** Reads until the response to the request has arrived, and ignores the rest of a stream. */
async function readAnswer(http: HttpAnswer, id: RequestId | undefined, came: Came): Promise<void> {
  came.status = http.status;
  came.headers = readHeaders(http);
  if (!isEventStream(http)) {
    const text = await http.text(maxAnswerBytes);
    came.body = text.slice(0, keptBody);
    readMessages(text, id, came);
    return;
  }
  // The answer to a notification is not awaited, and its stream may stay open.
  if (id === undefined) return http.discard();
  const decoder = createSseDecoder({ maxEventBytes: maxAnswerBytes });
  const chunks = http.chunks();
  for (let part = await chunks.next(); !part.done; part = await chunks.next()) {
    came.body += part.value.slice(0, keptBody - came.body.length);
    for (const { data } of decoder.push(part.value)) readMessages(data, id, came);
    if (came.answer) break;
  }
  void chunks.return?.();
}

export function readHeaders(http: HttpAnswer): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of toldHeaders) {
    const value = http.headers(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

export function isEventStream(http: HttpAnswer): boolean {
  return /^text\/event-stream\b/i.test(http.headers("content-type") ?? "");
}

/** A result under an error status is no success. */
function toAnswer({ answer, status }: Came): Answer {
  if (answer === undefined || (answer.kind === "result" && !isSuccess(status))) return { kind: "other" };
  return answer;
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function idOf(message: HttpPlan["message"]): RequestId | undefined {
  return message && "id" in message ? message.id : undefined;
}

/** Headers that the trials vary. A session id in the headers of the target would be in all trials. */
const varied: ReadonlySet<string> = new Set([sessionHeader, "mcp-protocol-version", "mcp-method", "mcp-name"]);

function toOwnHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => !varied.has(name)));
}

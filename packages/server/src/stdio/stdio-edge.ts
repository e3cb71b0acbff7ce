// The stdio edge (C) without a process: receives lines and writes lines, over any byte stream (C-14).
import {
  dispatchRequest,
  errorCode,
  isJsonObject,
  isNotification,
  isRequest,
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type KnownOptions,
  McpError,
  type ModernRequest,
  method,
  notificationMethod,
  OpenMap,
  overloaded,
  parseEnvelope,
  parseJson,
  parseMessage,
  type RequestId,
  requireSupportedVersion,
  toLine,
} from "@lethe/protocol";
import { refuseHandshake, requestIdOf } from "../http/admit.ts";
import { type ErrorReport, isInternal, toErrorReport, toWireError } from "../http/answers.ts";
import { toErrorText, toResponseText } from "../http/response-text.ts";
import { acceptedRevisions, type Servable } from "../http/servable.ts";
import { createLineWriter, type Sink } from "./line-writer.ts";
import { PassedNotifications } from "./passed-notifications.ts";
import { StdioExchange, type StdioOutput } from "./stdio-exchange.ts";

/** Limits of the stdio edge. */
export interface StdioOptions {
  /** Concurrent requests, including subscriptions. More are rejected. As many notifications of extensions are passed on at a time. Default 1,000. */
  maxConcurrentRequests?: number;
  /** Bytes buffered for a slow client. Beyond that, notifications are dropped. Default 1 MiB. */
  maxBufferedBytes?: number;
  /** Called with every error that no client may see. Default: console.error. */
  onError?: ErrorReport;
}

export const knownStdioOptions: KnownOptions<StdioOptions> = {
  maxConcurrentRequests: true,
  maxBufferedBytes: true,
  onError: true,
};

export interface StdioEdge {
  /** Handles one line, without its line break. */
  receiveLine(line: string): void;
  /** Answers input that cannot be read, for example a line that is too long. */
  refuse(message: string): void;
  /** The input has ended. Ends subscriptions, and resolves when all other requests have finished and are written. */
  finish(): Promise<void>;
  /** Cancels all running requests. Nothing more is written. */
  cutOff(): void;
}

/** The `retryAfterMs` of a rejected request. */
const retryAfterMs = 1_000;

export function createStdioEdge(servable: Servable, sink: Sink, options: StdioOptions = {}): StdioEdge {
  const { maxConcurrentRequests = 1_000, maxBufferedBytes = 1024 * 1024 } = options;
  const onError = toErrorReport(options.onError);
  const writer = createLineWriter(sink);
  const output: StdioOutput = { writer, maxBufferedBytes };
  const running = new OpenMap<StdioExchange>();
  const notifications = new PassedNotifications(servable, output, maxConcurrentRequests);
  const legacy = servable.legacy?.connect({
    send: (text) => writer.send(toLine(text)),
    get isSlow() {
      return writer.heldBytes() > maxBufferedBytes;
    },
    drained: writer.drained,
  });
  /** Includes cancelled requests that have not stopped yet. */
  let active = 0;
  let onIdle: (() => void) | undefined;

  function receiveLine(line: string): void {
    let value: unknown;
    try {
      value = parseJson(line);
      if (legacy?.receiveMessage(value)) return;
      const message = parseMessage(value);
      if (isRequest(message)) begin(message);
      else if (isNotification(message)) receiveNotification(message);
      // Ignores a response, because a server sends no requests.
    } catch (error) {
      if (!isBrokenNotification(value)) sendError(requestIdOf(value), error);
    }
  }

  function begin(message: JsonRpcRequest): void {
    refuseHandshake(message);
    const request = parseEnvelope(message);
    requireSupportedVersion(request, acceptedRevisions(servable));
    if (running.get(request.id)) {
      throw new McpError(errorCode.invalidRequest, "invalid request: a request with this id is still running");
    }
    if (active >= maxConcurrentRequests) {
      throw overloaded(`busy: at most ${maxConcurrentRequests} requests at a time`, retryAfterMs);
    }
    const exchange = new StdioExchange(output, request.method === method.listen);
    running.add(request.id, exchange);
    active++;
    void run(request, exchange);
  }

  async function run(request: ModernRequest, exchange: StdioExchange): Promise<void> {
    let line: string;
    try {
      line = toLine(toResponseText(request.id, await dispatchRequest(servable, request, exchange)));
    } catch (error) {
      if (isInternal(error) && !exchange.isEnded) onError(error);
      line = toLine(toErrorText(request.id, toWireError(error)));
    }
    if (!exchange.isEnded) {
      exchange.isEnded = true;
      running.take(request.id);
      writer.send(line);
    }
    active--;
    if (active === 0) onIdle?.();
  }

  /** C-6: ignores cancellations of unknown or finished requests, and malformed ones. */
  function receiveNotification(notification: JsonRpcNotification): void {
    const { method: name, params } = notification;
    if (name !== notificationMethod.cancelled) notifications.pass(notification);
    else if (isRequestId(params?.requestId)) running.take(params.requestId)?.cancel();
  }

  function sendError(id: RequestId | undefined, error: unknown): void {
    if (isInternal(error)) onError(error);
    writer.send(toLine(toErrorText(id, toWireError(error))));
  }

  function refuse(message: string): void {
    sendError(undefined, new McpError(errorCode.invalidRequest, `invalid request: ${message}`));
  }

  async function finish(): Promise<void> {
    for (const exchange of running.values) if (exchange.isListen) exchange.cancel();
    await Promise.all([legacy?.close(), notifications.passed()]);
    if (active > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await writer.drained();
  }

  function cutOff(): void {
    for (const exchange of running.values) exchange.cancel();
    notifications.cancel();
    running.clear();
    legacy?.cutOff();
    writer.close();
  }

  return { receiveLine, refuse, finish, cutOff };
}

/** J-32: a notification gets no response, even if it is invalid. */
function isBrokenNotification(value: unknown): boolean {
  return isJsonObject(value) && typeof value.method === "string" && !("id" in value);
}

// The stdio edge (C) without the process: lines in, lines out, whatever carries them (C-14).
import {
  errorCode,
  isJsonObject,
  isNotification,
  isRequest,
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
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
import { isInternal, toWireError } from "../http/answers.ts";
import { type ErrorReport, toErrorReport } from "../http/error-report.ts";
import { toErrorText, toResponseText } from "../http/response-text.ts";
import type { Servable } from "../http/servable.ts";
import { createLineWriter, type Sink } from "./line-writer.ts";
import { StdioExchange, type StdioOutput } from "./stdio-exchange.ts";

export interface StdioOptions {
  /** More requests at a time, subscriptions included, are refused. Default 1,000. */
  maxConcurrentRequests?: number;
  /** What waits for a client that reads slowly; notifications beyond are dropped. Default 1 MiB. */
  maxBufferedBytes?: number;
  /** Gets what a Dispatch threw that no caller may see. Default: console.error. */
  onError?: ErrorReport;
}

export interface StdioEdge {
  /** Takes one line without its line end. */
  receive(line: string): void;
  /** Answers what could not be read at all, for example a line that was too long. */
  refuse(message: string): void;
  /** No more input: subscriptions end; resolves when the rest has run and is written. */
  finish(): Promise<void>;
  /** Aborts what runs; nothing more is written. */
  cutOff(): void;
}

/** What a refused caller is told to wait. */
const retryAfterMs = 1_000;

export function createStdioEdge(servable: Servable, sink: Sink, options: StdioOptions = {}): StdioEdge {
  const { maxConcurrentRequests = 1_000, maxBufferedBytes = 1024 * 1024 } = options;
  const onError = toErrorReport(options.onError);
  const writer = createLineWriter(sink);
  const output: StdioOutput = { writer, maxBufferedBytes };
  const running = new OpenMap<StdioExchange>();
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

  function receive(line: string): void {
    let value: unknown;
    try {
      value = parseJson(line);
      if (legacy?.receive(value)) return;
      const message = parseMessage(value);
      if (isRequest(message)) begin(message);
      else if (isNotification(message)) heed(message);
      // A response answers nothing, because a server asks nothing.
    } catch (error) {
      if (!isBrokenNotification(value)) sendError(requestIdOf(value), error);
    }
  }

  function begin(message: JsonRpcRequest): void {
    refuseHandshake(message);
    const request = parseEnvelope(message);
    requireSupportedVersion(request);
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
      line = toLine(toResponseText(request.id, await servable.dispatch(request, exchange)));
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

  /** C-6: what is unknown, finished or malformed is ignored, as is every other notification. */
  function heed({ method: name, params }: JsonRpcNotification): void {
    if (name !== notificationMethod.cancelled || !isRequestId(params?.requestId)) return;
    running.take(params.requestId)?.cancel();
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
    await legacy?.close();
    if (active > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await writer.drained();
  }

  function cutOff(): void {
    for (const exchange of running.values) exchange.cancel();
    running.clear();
    legacy?.cutOff();
    writer.close();
  }

  return { receive, refuse, finish, cutOff };
}

/** J-32: a notification is never answered, not even one that is no good. */
function isBrokenNotification(value: unknown): boolean {
  return isJsonObject(value) && typeof value.method === "string" && !("id" in value);
}

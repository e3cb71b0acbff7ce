// A disposable process of the server. Sends and records messages line by line.
import type { TransportError } from "@lethe/client";
import { createStdioWire, type SpawnTarget, spawnServer } from "@lethe/client/node";
import {
  isRequest,
  isResponse,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from "@lethe/protocol";
import { type Answer, type Exchange, keptBody } from "./exchange.ts";
import { type Heard, readMessage } from "./read-answer.ts";
import type { Recorder } from "./recorder.ts";

export interface StdioTransport {
  /** Never rejects because of the server. If the process ended, the exchange contains the reason. */
  send(what: string, message: JsonRpcRequest | JsonRpcNotification, timeoutMs: number): Promise<Exchange>;
  readonly isAlive: boolean;
  /** The number of lines on stdout that were no messages. */
  readonly junkLines: number;
  /** Resolves when the process and its children have ended. */
  stop(): Promise<void>;
}

export interface StdioTransportOptions {
  recorder: Recorder;
  signal?: AbortSignal | undefined;
}

/** Rejects with TransportError if the program does not start. */
export async function startStdioTransport(
  target: SpawnTarget,
  options: StdioTransportOptions,
): Promise<StdioTransport> {
  const { recorder, signal } = options;
  signal?.throwIfAborted();
  const { command, args, env, cwd } = target;
  const own: SpawnTarget = { command, ...(args && { args }), ...(env && { env }), ...(cwd !== undefined && { cwd }) };
  const server = await spawnServer(own, { stopTimeoutMs });
  const wire = createStdioWire(server);
  /** Requests of the server that no exchange contains yet. */
  let asked: string[] = [];
  let hear: ((message: JsonRpcMessage) => void) | undefined;
  let end: TransportError | undefined;
  const ended = wire.closed.then((error) => {
    end = error;
  });

  wire.onMessage = (message) => {
    if (isRequest(message)) {
      asked.push(message.method);
      reply(message);
    } else if (isResponse(message)) hear?.(message);
  };

  function reply({ id, method }: JsonRpcRequest): void {
    const outcome = replies[method]
      ? { result: replies[method] }
      : { error: { code: -1, message: "a probe does not answer requests of servers" } };
    post({ jsonrpc: "2.0", id, ...outcome }).catch(() => {});
  }

  async function post(message: JsonRpcMessage): Promise<void> {
    await wire.send(message);
  }

  async function send(
    what: string,
    message: JsonRpcRequest | JsonRpcNotification,
    timeoutMs: number,
  ): Promise<Exchange> {
    signal?.throwIfAborted();
    const number = recorder.begin(what);
    const startedAt = performance.now();
    const id = "id" in message ? message.id : undefined;
    const heard: Heard & { body: string } = { body: "", asked: [] };
    const answered = within(timeoutMs, signal, (resolve) => {
      hear = (incoming) => {
        readMessage(incoming as unknown as JsonObject, id, heard);
        if (!heard.answer) return;
        heard.body = JSON.stringify(incoming).slice(0, keptBody);
        resolve();
      };
      void ended.then(resolve);
      if (id === undefined) resolve();
    });
    // A message that cannot be sent means that the process has ended. Its error becomes the answer.
    if (!end) await post(message).catch(() => ended);
    await answered;
    hear = undefined;
    signal?.throwIfAborted();
    const { body } = heard;
    const answer = heard.answer ?? toAnswer(id !== undefined, end, timeoutMs);
    const sent = { via: "stdin", address: server.name, headers: {}, body: JSON.stringify(message) } as const;
    const met = asked;
    asked = [];
    return recorder.end({
      number,
      what,
      sent,
      headers: {},
      body,
      answer,
      asked: met,
      ms: performance.now() - startedAt,
    });
  }

  return {
    send,
    get isAlive() {
      return end === undefined;
    },
    get junkLines() {
      return wire.junkLines;
    },
    stop: () => wire.close(),
  };
}

/** A disposable process has nothing to save. In ms. */
const stopTimeoutMs = 500;

/** Answers to requests that need no decision of a user. */
const replies: Readonly<Record<string, JsonObject>> = { ping: {}, "roots/list": { roots: [] } };

function toAnswer(isRequested: boolean, end: TransportError | undefined, timeoutMs: number): Answer {
  if (end) return { kind: "none", reason: end.reason === "invalid" ? "not-mcp" : "exited", message: end.message };
  if (!isRequested) return { kind: "other" };
  return { kind: "none", reason: "timeout", message: `no answer within ${timeoutMs} ms` };
}

/** Resolves by `start`, after `ms`, or when the signal is aborted. */
function within(ms: number, signal: AbortSignal | undefined, start: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", settle);
      resolve();
    };
    const timer = setTimeout(settle, ms);
    signal?.addEventListener("abort", settle);
    start(settle);
  });
}

// Sends over node:http with keep-alive connections: several times faster on Node than fetch.

import { Agent, type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps, Agent as SecureAgent } from "node:https";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "../http/http-send.ts";
import { NodeAnswer } from "./node-answer.ts";

/** The limits of the connections to each server. */
export interface NodeSendOptions {
  /** Limit of concurrent connections to one server. Further requests wait. Default 256. */
  maxSockets?: number;
  /** How long an idle connection is kept, in ms. Default 4000: less than servers keep theirs. */
  keepAliveMs?: number;
}

const knownNodeSendOptions: KnownOptions<NodeSendOptions> = { maxSockets: true, keepAliveMs: true };

/** A send function over `node:http`, and its connections. */
export interface NodeSend {
  /** Sends one request and follows no redirect. */
  readonly send: HttpSend;
  /** Closes the idle connections. */
  close(): void;
}

/**
 * Sends HTTP requests over `node:http` with keep-alive connections: several times faster on Node than `fetch`. By default it opens at most
 * 256 connections to a server and keeps idle ones for 4 s. Pass `send` to `connect`; clients that share it share connections. `close` closes
 * the idle connections.
 *
 * @example
 * import { connect, createNodeSend } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const { send, close } = createNodeSend({ maxSockets: 16, keepAliveMs: 2_000 });
 * const clients = await Promise.all([connect(serving.url, { send }), connect(serving.url, { send })]);
 * console.log(clients.length); // 2
 * for (const client of clients) await client.close();
 * close();
 * await serving.close();
 */
export function createNodeSend(options: NodeSendOptions = {}): NodeSend {
  checkOptions("createNodeSend", options, knownNodeSendOptions);
  const { maxSockets = 256, keepAliveMs = 4000 } = options;
  // An agent copies its options for each request: fewer options are faster.
  const settings = { keepAlive: true, timeout: keepAliveMs };
  const agent = new Agent(settings);
  agent.maxSockets = maxSockets;
  let secureAgent: SecureAgent | undefined;
  const targets = new WeakMap<URL, Target>();

  function agentFor(url: URL): Agent {
    if (url.protocol !== "https:") return agent;
    secureAgent ??= new SecureAgent({ ...settings, maxSockets });
    return secureAgent;
  }

  function targetOf(url: URL): Target {
    const known = targets.get(url);
    if (known) return known;
    const target = toTarget(url, agentFor(url));
    targets.set(url, target);
    return target;
  }

  return {
    send: (request) => send(request, targetOf(request.url)),
    close() {
      agent.destroy();
      secureAgent?.destroy();
    },
  };
}

/** The parts of a URL that node:http needs, parsed once. */
interface Target {
  readonly request: typeof requestHttp;
  readonly agent: Agent;
  readonly hostname: string;
  readonly port: string | number;
  readonly path: string;
  readonly host: string;
}

function toTarget(url: URL, agent: Agent): Target {
  const isSecure = url.protocol === "https:";
  return {
    request: isSecure ? requestHttps : requestHttp,
    agent,
    hostname: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === "" ? (isSecure ? 443 : 80) : url.port,
    path: url.pathname + url.search,
    host: url.host,
  };
}

function send(request: HttpRequest, target: Target): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { signal, body } = request;
    if (signal?.aborted) return reject(signal.reason);
    const { agent, hostname, port, path } = target;
    const headers = toRawHeaders(request, target);
    const sent = target.request({ agent, hostname, port, path, method: request.method, headers });
    if (signal) cancelBy(signal, sent);
    sent.on("response", (message) => resolve(new NodeAnswer(message, signal)));
    sent.on("error", (error) => reject(signal?.aborted ? signal.reason : error));
    sent.end(body);
  });
}

function cancelBy(signal: CancelSignal, sent: ClientRequest): void {
  const cancel = () => sent.destroy(signal.reason as Error);
  signal.addEventListener("abort", cancel);
  sent.on("close", () => signal.removeEventListener("abort", cancel));
}

/** The raw form that node:http writes without building a table per request. */
function toRawHeaders({ headers, body }: HttpRequest, { host }: Target): string[] {
  const raw = ["host", host];
  for (const name in headers) raw.push(name, headers[name] as string);
  if (body !== undefined) raw.push("content-length", String(Buffer.byteLength(body)));
  return raw;
}

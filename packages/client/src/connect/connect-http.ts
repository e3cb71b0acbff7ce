// Connects to a server over HTTP, of any revision (D.3).

import {
  type ClientCapabilities,
  checkOptions,
  type DiscoverResult,
  type Era,
  type Implementation,
  isMcpError,
  type KnownOptions,
  McpError,
  method,
  modelRevision,
  type Root,
} from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { isAuthorizationError } from "../auth/authorization-error.ts";
import { createRequestBuilder } from "../call/build-request.ts";
import type { Connection } from "../call/connection.ts";
import { createExchange } from "../call/exchange.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { decideHttp, mayBeSse, type ProbeOutcome, refuseLegacy, saysNothing } from "../era/decide.ts";
import { selectModern } from "../era/select-revision.ts";
import type { Verdict, VerdictMemory } from "../era/verdict-memory.ts";
import { nameOfEndpoint } from "../http/endpoint.ts";
import { createHttpDispatch } from "../http/http-dispatch.ts";
import { type HttpOptions, knownHttpOptions } from "../http/http-options.ts";
import type { HttpSend } from "../http/http-send.ts";
import { withAffinity } from "../http/with-affinity.ts";

/** The server's address and how to reach it. */
export interface HttpTarget {
  /** The endpoint of the server. */
  readonly url: URL;
  /** Sends the requests: `createFetchSend(…)`, or `createNodeSend(…).send` on Node. */
  readonly send: HttpSend;
}

/** Options of a connection over HTTP. */
export interface ConnectHttpOptions extends HttpOptions {
  /** The identity of the client. Default: it stays anonymous. */
  clientInfo?: Implementation;
  /** The capabilities that are declared while the era is detected and in a handshake. Default none. */
  capabilities?: ClientCapabilities;
  /** Answers the input requests that a legacy server may send outside of any call. */
  roots?: readonly Root[];
  /** A discover result that is still valid. Connecting then needs no request. */
  knownServer?: DiscoverResult;
  /** "auto" detects the era; "modern" accepts no other; "legacy" skips detection and requires `legacy`. Default "auto". */
  era?: Era | "auto";
  /** Connects to legacy servers. Absent for a client that accepts modern servers only. */
  legacy?: LegacyConnectors | undefined;
  /** Remembers the eras of servers across connections. Default: not remembered. */
  verdicts?: VerdictMemory;
  /** Time limit for detecting the era, in ms. Default 30 000. */
  connectTimeoutMs?: number;
  /** Cancels connecting. Does not affect an established connection. */
  signal?: AbortSignal;
  /** Interval between pings to a legacy server, in ms. A missing response ends the connection. Default: no pings. */
  pingIntervalMs?: number;
  /** Time limit for the response to a ping, in ms. Default 10 000. */
  pingTimeoutMs?: number;
}

export const knownConnectHttpOptions: KnownOptions<ConnectHttpOptions> = {
  ...knownHttpOptions,
  clientInfo: true,
  capabilities: true,
  roots: true,
  knownServer: true,
  era: true,
  legacy: true,
  verdicts: true,
  connectTimeoutMs: true,
  signal: true,
  pingIntervalMs: true,
  pingTimeoutMs: true,
};

/**
 * Connects to a server of an older revision. Both reject with McpError for an error response to `initialize`, and with
 * TransportError for every other failure.
 */
export interface LegacyConnectors {
  /** Streamable HTTP: `initialize` by POST. */
  readonly "streamable-http": ConnectLegacy;
  /** HTTP+SSE of 2024-11-05. */
  readonly "http-sse": ConnectLegacy;
}

export type ConnectLegacy = (target: HttpTarget, options: ConnectLegacyOptions) => Promise<Connection>;

type EraOption = "era" | "legacy" | "knownServer" | "verdicts";

/** The options of a connection of a known era. */
export type ConnectLegacyOptions = Omit<ConnectHttpOptions, EraOption>;

/**
 * Connects to a server over HTTP, of any revision. Detects the era within 30 s by default (`connectTimeoutMs`), unless `knownServer` or
 * `verdicts` tell it. Rejects with McpError if the server refuses, and with TransportError for every other failure. `connect` builds a client
 * on top of it.
 *
 * @example
 * import { createFetchSend } from "@lethe/client";
 * import { connectHttp } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const target = { url: new URL(serving.url), send: createFetchSend() };
 * const connection = await connectHttp(target, { connectTimeoutMs: 5_000 });
 * console.log(connection.era, connection.revision); // modern 2026-07-28
 * await connection.close();
 * await serving.close();
 */
export async function connectHttp({ url, send }: HttpTarget, options: ConnectHttpOptions = {}): Promise<Connection> {
  checkOptions("connectHttp", options, knownConnectHttpOptions);
  const target: HttpTarget = { url, send: withAffinity(send, url) };
  const { era = "auto", verdicts, knownServer } = options;
  const legacy = era === "modern" ? undefined : options.legacy;
  if (era === "legacy" && legacy) return await connectOld(target, undefined, legacy, options);
  const { href } = url;
  const known = knownServer && selectModern(knownServer.supportedVersions);
  if (knownServer && known !== undefined) return toConnection(target, known, knownServer, options);
  const verdict = verdicts?.get(href);
  if (verdict?.era === "legacy" && legacy) {
    const connection = await tryAgain(verdict, target, legacy, options);
    if (connection) return connection;
    // The remembered verdict is outdated: detect the era again (D.3/1).
    verdicts?.delete(href);
  }
  const server = nameOfEndpoint(url);
  const decision = decideHttp(server, await probe(target, options));
  if (decision.kind === "failed") throw decision.error;
  if (decision.kind === "modern") {
    verdicts?.set(href, { era: "modern", revision: decision.revision });
    return toConnection(target, decision.revision, decision.server, options);
  }
  if (!legacy) throw refuseLegacy(server, decision.because);
  return await connectOld(target, decision.because, legacy, options);
}

// D.3/2. The HTTP status is recorded separately, because an McpError does not contain it.
async function probe({ url, send }: HttpTarget, options: ConnectHttpOptions): Promise<ProbeOutcome> {
  const { clientInfo, capabilities = {}, connectTimeoutMs = 30_000, signal } = options;
  let status: number | undefined;
  const noting: HttpSend = async (request) => {
    const answer = await send(request);
    status = answer.status;
    return answer;
  };
  const { build } = createRequestBuilder({ ...(clientInfo && { clientInfo }), capabilities, revision: modelRevision });
  const limits = { timeoutMs: connectTimeoutMs, maxTotalMs: connectTimeoutMs };
  try {
    const { dispatch } = createHttpDispatch(url, noting, { ...options, retries: false });
    return { result: await dispatch(build(method.discover, {}), createExchange({ signal, limits })) };
  } catch (error) {
    return { error, status };
  }
}

function toConnection(
  { url, send }: HttpTarget,
  revision: string,
  server: DiscoverResult,
  options: ConnectHttpOptions,
): Connection {
  const { dispatch, closed, close } = createHttpDispatch(url, send, options);
  const { traits } = revisionNamed(revision);
  return { dispatch, era: "modern", revision, traits, server, closed, close: async () => close() };
}

/** Undefined if the server no longer speaks that era. Throws errors that say nothing about eras. */
async function tryAgain(
  { transport = "streamable-http" }: Verdict,
  target: HttpTarget,
  legacy: LegacyConnectors,
  options: ConnectHttpOptions,
): Promise<Connection | undefined> {
  try {
    return await legacy[transport](target, withoutEra(options));
  } catch (error) {
    if (isMcpError(error) || (isTransportError(error) && saysOtherwise(error))) return undefined;
    throw error;
  }
}

function saysOtherwise({ reason, status }: TransportError): boolean {
  return reason === "invalid" || (reason === "status" && status !== undefined && !saysNothing(status));
}

// D.3 steps 5 and 6.
async function connectOld(
  target: HttpTarget,
  because: string | undefined,
  legacy: LegacyConnectors,
  options: ConnectHttpOptions,
): Promise<Connection> {
  try {
    return remember(await legacy["streamable-http"](target, withoutEra(options)), "streamable-http", target, options);
  } catch (error) {
    if (!mayBeSse(error)) throw withFirstFailure(error, because);
    try {
      return remember(await legacy["http-sse"](target, withoutEra(options)), "http-sse", target, options);
    } catch {
      throw withFirstFailure(error, because);
    }
  }
}

function remember(
  connection: Connection,
  transport: NonNullable<Verdict["transport"]>,
  { url }: HttpTarget,
  { verdicts }: ConnectHttpOptions,
): Connection {
  verdicts?.set(url.href, { era: "legacy", revision: connection.revision, transport });
  return connection;
}

// D.3/9: the first failure is usually the real one.
function withFirstFailure(error: unknown, because: string | undefined): unknown {
  if (because === undefined) return error;
  if (isMcpError(error)) {
    return new McpError(error.code, `${error.message}; before that, ${because}`, { data: error.data, cause: error });
  }
  if (!isTransportError(error) || isAuthorizationError(error)) return error;
  const { reason, message, status } = error;
  const more = status === undefined ? { cause: error } : { cause: error, status };
  const isSame = because.replace(method.discover, "initialize") === message;
  const both = isSame ? `${method.discover} and ${message}` : `${message}; before that, ${because}`;
  return new TransportError(reason, both, more);
}

function withoutEra(options: ConnectHttpOptions): ConnectLegacyOptions {
  const { era: _era, legacy: _legacy, knownServer: _server, verdicts: _verdicts, ...others } = options;
  return others;
}

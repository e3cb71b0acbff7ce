// Connects to a server over HTTP, whatever revision it speaks (D.3).
import {
  type ClientCapabilities,
  type DiscoverResult,
  type Era,
  type Implementation,
  isMcpError,
  McpError,
  method,
  modelRevision,
  type Root,
} from "@lethe/protocol";
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
import type { HttpOptions } from "../http/http-options.ts";
import type { HttpSend } from "../http/http-send.ts";

/** Where a server is and how it is reached. */
export interface HttpTarget {
  readonly url: URL;
  readonly send: HttpSend;
}

export interface ConnectHttpOptions extends HttpOptions {
  clientInfo?: Implementation;
  capabilities?: ClientCapabilities;
  /** For a legacy server, which may ask for them outside of any call. */
  roots?: readonly Root[];
  /** A result of discover that is still believed: connecting then needs no request. */
  knownServer?: DiscoverResult;
  /** "auto" asks the server; "modern" takes no other; "legacy" does not ask, and needs `legacy`. Default "auto". */
  era?: Era | "auto";
  /** Absent for a client that wants modern servers only. */
  legacy?: LegacyConnectors | undefined;
  verdicts?: VerdictMemory;
  /** What finding out about the server may take, in milliseconds. Default 30 000. */
  connectTimeoutMs?: number;
  signal?: AbortSignal;
  /**
   * How often a server of an older revision is asked whether it is still there, in milliseconds; one that does not
   * answer within `pingTimeoutMs` (default 10,000) ends the connection. Default: never.
   */
  pingIntervalMs?: number;
  pingTimeoutMs?: number;
}

/**
 * How to go on with a server of an older revision. Each rejects with McpError for what the server answered to
 * `initialize`, and with TransportError for everything below.
 */
export interface LegacyConnectors {
  /** Streamable HTTP: `initialize` by POST. */
  readonly "streamable-http": ConnectLegacy;
  /** HTTP+SSE of 2024-11-05. */
  readonly "http-sse": ConnectLegacy;
}

export type ConnectLegacy = (target: HttpTarget, options: ConnectHttpOptions) => Promise<Connection>;

export async function connectHttp(target: HttpTarget, options: ConnectHttpOptions = {}): Promise<Connection> {
  const { era = "auto", verdicts, knownServer } = options;
  const legacy = era === "modern" ? undefined : options.legacy;
  if (era === "legacy" && legacy) return await connectOld(target, undefined, legacy, options);
  const { href } = target.url;
  const known = knownServer && selectModern(knownServer.supportedVersions);
  if (knownServer && known !== undefined) return toConnection(target, known, knownServer, options);
  const verdict = verdicts?.get(href);
  if (verdict?.era === "legacy" && legacy) {
    const connection = await tryAgain(verdict, target, legacy, options);
    if (connection) return connection;
    // The server is not any more what it was: find out anew (D.3/1).
    verdicts?.delete(href);
  }
  const server = nameOfEndpoint(target.url);
  const decision = decideHttp(server, await probe(target, options));
  if (decision.kind === "failed") throw decision.error;
  if (decision.kind === "modern") {
    verdicts?.set(href, { era: "modern", revision: decision.revision });
    return toConnection(target, decision.revision, decision.server, options);
  }
  if (!legacy) throw refuseLegacy(server, decision.because);
  return await connectOld(target, decision.because, legacy, options);
}

// D.3/2. The HTTP status is noted on the way: an error of the server does not show it.
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
    const { dispatch } = createHttpDispatch(url, noting, options);
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
  return { dispatch, era: "modern", revision, server, closed, close: async () => close() };
}

/** Undefined when the server does not speak that any more. What says nothing about eras is thrown. */
async function tryAgain(
  { transport = "streamable-http" }: Verdict,
  target: HttpTarget,
  legacy: LegacyConnectors,
  options: ConnectHttpOptions,
): Promise<Connection | undefined> {
  try {
    return await legacy[transport](target, options);
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
    return remember(await legacy["streamable-http"](target, options), "streamable-http", target, options);
  } catch (error) {
    if (!mayBeSse(error)) throw withFirstFailure(error, because);
    try {
      return remember(await legacy["http-sse"](target, options), "http-sse", target, options);
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

// D.3/9: what went wrong first is often what is really wrong.
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

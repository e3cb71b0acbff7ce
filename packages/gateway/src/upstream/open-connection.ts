// Opens connections to one upstream, by the way that its configuration names. Its era is found out on the way, once.
import {
  type Connection,
  connectHttp,
  connectHttpSse,
  connectStreamableHttp,
  createVerdictMemory,
  type LegacyConnectors,
  withAuthorization,
} from "@lethe/client";
import { connectStdio, createNodeSend } from "@lethe/client/node";
import type { HttpUpstream, StdioUpstream, UpstreamConfig } from "../config/upstream-config.ts";
import { gatewayInfo, relayedCapabilities } from "./own-request.ts";
import { createWayIn } from "./way-in.ts";

export interface ConnectorOptions {
  /** How long a call waits for the answer of its caller, in ms. */
  parkedCallTtlMs?: number;
  onStderr?(upstream: string, line: string): void;
  /** Told of what was wrong but could be mended. */
  onWarning?(upstream: string, problem: string): void;
}

export interface Connector {
  /** The signal ends the opening; an open connection is not concerned. */
  open(signal: AbortSignal, callerId: string | undefined): Promise<Connection>;
  /** Gives back what connections share; they are closed before. */
  close(): void;
}

/** Parked calls are bounded by the gateway: for all connections, and for each caller. */
const maxParkedCalls = Number.POSITIVE_INFINITY;

export function createConnector(upstream: UpstreamConfig, options: ConnectorOptions = {}): Connector {
  return upstream.kind === "http" ? createHttpConnector(upstream, options) : createStdioConnector(upstream, options);
}

function sharedOptions({ roots, timeoutMs = 600_000 }: UpstreamConfig, { parkedCallTtlMs }: ConnectorOptions) {
  return {
    clientInfo: gatewayInfo,
    capabilities: relayedCapabilities,
    verdicts: createVerdictMemory(),
    timeoutMs,
    maxParkedCalls,
    ...(roots && { roots }),
    ...(parkedCallTtlMs !== undefined && { parkedCallTtlMs }),
  };
}

function createHttpConnector(upstream: HttpUpstream, options: ConnectorOptions): Connector {
  const { name, era, transport } = upstream;
  const { onWarning } = options;
  const { send, close } = createNodeSend();
  const wayIn = createWayIn(upstream);
  const { maxParkedCalls, parkedCallTtlMs, ...usual } = sharedOptions(upstream, options);
  const parking = { maxParkedCalls, ...(parkedCallTtlMs !== undefined && { parkedCallTtlMs }) };
  const shared = { ...usual, ...(onWarning && { onWarning: (problem: string) => onWarning(name, problem) }) };
  const legacy: LegacyConnectors = {
    "streamable-http": (target, asked) => connectStreamableHttp(target, { ...asked, ...parking }),
    "http-sse": (target, asked) => connectHttpSse(target, { ...asked, ...parking }),
  };
  const url = new URL(upstream.url);
  const known = transport ?? "streamable-http";
  const isKnownOld = transport === "http-sse" || era === "legacy";
  return {
    open(signal, callerId) {
      const { headers, authorizer } = wayIn(callerId);
      const target = { url, send: authorizer ? withAuthorization(send, authorizer) : send };
      const asked = { ...shared, headers, signal };
      return isKnownOld
        ? legacy[known](target, asked)
        : connectHttp(target, { ...asked, ...(era !== "modern" && { legacy }) });
    },
    close,
  };
}

function createStdioConnector(upstream: StdioUpstream, options: ConnectorOptions): Connector {
  const { name, command, args, env, cwd, era } = upstream;
  const { onStderr } = options;
  const target = { command, args, env, ...(cwd !== undefined && { cwd }) };
  const shared = {
    ...sharedOptions(upstream, options),
    ...(era && { era }),
    ...(onStderr && { onStderr: (line: string) => onStderr(name, line) }),
  };
  return { open: (signal) => connectStdio(target, { ...shared, signal }), close: () => {} };
}

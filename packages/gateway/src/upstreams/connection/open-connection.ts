// Opens connections to one upstream over its configured transport. The first connection detects the era, later ones reuse it.
import { type Connection, createVerdictMemory, type VerdictMemory } from "@lethe/client";
import type { AuthStore } from "@lethe/client/auth";
import {
  connectHttp,
  connectHttpSse,
  connectLegacy,
  connectStreamableHttp,
  type LegacyConnectors,
  type PendingCalls,
  withAuthorization,
} from "@lethe/client/edge";
import { connectStdio, createNodeSend } from "@lethe/client/node";
import { type ProbeReport, probe } from "@lethe/probe";
import type { TransportName } from "@lethe/protocol";
import { createNameMatcher } from "../../config/name-matcher.ts";
import { defaultPendingCalls, defaultSessions, defaultUpstream } from "../../config/schema/defaults.ts";
import type { HttpUpstream, MemoryUpstream, StdioUpstream, UpstreamConfig } from "../../config/upstream-config.ts";
import type { DeclaredExtensions } from "../../extensions/declared-extensions.ts";
import { createCredentials } from "./credentials.ts";
import { isUndecided, withEraSetting } from "./era-setting.ts";
import { createOpenApiConnector } from "./openapi-connector.ts";
import { gatewayInfo, relayedCapabilities } from "./own-request.ts";

export interface ConnectorOptions {
  /** How long a process may take until its first response, in ms. Default 60,000. */
  startTimeoutMs?: number;
  /** The registry of calls that wait for a response of their caller. Default: one per connection. */
  pendingCalls?: PendingCalls;
  onStderr?(upstream: string, line: string): void;
  /** Called when a process of the upstream starts. `gone` resolves when the process and its group have ended. */
  onProcess?(upstream: string, pid: number, gone: Promise<void>): void;
  /** Records issuers of client credentials on first use. Default: in memory. */
  issuers?: AuthStore | undefined;
  /** Called with problems that the gateway could work around. */
  onWarning?(upstream: string, problem: string): void;
}

/** `http` means HTTP with an unknown transport. */
export type Transport = TransportName | "http" | "memory";

export interface Connector {
  /** The transport of the last opened connection. */
  transport(): Transport;
  /** Opens a connection. The signal cancels the opening, but does not close an open connection. */
  open(signal: AbortSignal, callerId: string | undefined, declared?: DeclaredExtensions): Promise<Connection>;
  /**
   * Probes the upstream with separate requests. Later connections use the result. Absent for a command, because the probe
   * would have to start it once more and its first connection shows as much.
   */
  probe?(signal: AbortSignal): Promise<ProbeReport>;
  /** Releases what connections share. Close the connections first. */
  close(): void;
}

export function createConnector(upstream: UpstreamConfig, options: ConnectorOptions = {}): Connector {
  if (upstream.kind === "memory") return createMemoryConnector(upstream, options);
  if (upstream.kind === "openapi") return createOpenApiConnector(upstream, options);
  return upstream.kind === "http" ? createHttpConnector(upstream, options) : createStdioConnector(upstream, options);
}

/** The limits for calls to a server of an older revision. */
function callOptions({ elicits, sessions }: UpstreamConfig, { pendingCalls }: ConnectorOptions) {
  const { turnWaitMs, maxWaiting } = { ...defaultSessions, ...sessions };
  return {
    ...(pendingCalls && { pendingCalls }),
    turnWaitMs,
    maxWaitingCalls: maxWaiting,
    ...(elicits && { elicits: createNameMatcher(elicits) }),
  };
}

/** The capabilities of a connection that declares extensions. */
function declaring(declared: DeclaredExtensions | undefined) {
  return declared && { capabilities: { ...relayedCapabilities, ...declared.capabilities } };
}

function sharedOptions({ roots, timeoutMs = defaultUpstream.timeoutMs }: UpstreamConfig) {
  return {
    clientInfo: gatewayInfo,
    capabilities: relayedCapabilities,
    verdicts: createVerdictMemory(),
    timeoutMs,
    ...(roots && { roots }),
  };
}

/** Connections to one upstream for requests, besides those for the event stream of each session and for each pending call. */
const maxRequestSockets = 256;

/**
 * The event stream of a session takes a connection for as long as the session lasts, and a pending call until its caller answers.
 * Neither must keep requests waiting, least of all the answers to pending calls.
 */
function maxSocketsOf({ sessions }: HttpUpstream, { pendingCalls }: ConnectorOptions): number {
  return maxRequestSockets + (sessions?.max ?? defaultSessions.max) + (pendingCalls?.max ?? defaultPendingCalls.max);
}

function createHttpConnector(upstream: HttpUpstream, options: ConnectorOptions): Connector {
  const { name, era, transport } = upstream;
  const { onWarning } = options;
  const { send, close } = createNodeSend({ maxSockets: maxSocketsOf(upstream, options) });
  const credentialsFor = createCredentials(upstream, {
    issuers: options.issuers,
    ...(onWarning && { onWarning: (problem: string) => onWarning(name, problem) }),
  });
  const calls = callOptions(upstream, options);
  const shared = {
    ...sharedOptions(upstream),
    ...(onWarning && { onWarning: (problem: string) => onWarning(name, problem) }),
  };
  let used: Transport = "http";
  /** A connection with the credentials of a caller serves no other caller. */
  const legacyOf = (hasOneCaller: boolean): LegacyConnectors => ({
    async "streamable-http"(target, connectOptions) {
      const connection = await connectStreamableHttp(target, {
        ...connectOptions,
        ...calls,
        hasOneCaller,
        resendsAfterLoss: false,
      });
      used = "streamable-http";
      return connection;
    },
    async "http-sse"(target, connectOptions) {
      const connection = await connectHttpSse(target, { ...connectOptions, ...calls, hasOneCaller });
      used = "http-sse";
      return connection;
    },
  });
  const url = new URL(upstream.url);
  const { verdicts, ...sharedByEras } = shared;

  async function probeFor(callerId: string | undefined, signal: AbortSignal): Promise<ProbeReport> {
    const { headers, authorizer } = credentialsFor(callerId);
    const granted = authorizer && (await authorizer.authorize({ url, method: "POST", signal }));
    const probed = { name, url: url.href, headers: { ...headers, ...granted } };
    const report = await probe(probed, { method: "behaviour", signal });
    follow(verdicts, url, report);
    return report;
  }

  const known = transport ?? "streamable-http";
  const isKnownOld = transport === "http-sse" || era === "legacy";
  return {
    transport: () => used,
    async open(signal, callerId, declared) {
      const { headers, authorizer } = credentialsFor(callerId);
      const target = { url, send: authorizer ? withAuthorization(send, authorizer) : send };
      const connectOptions = { ...shared, ...declaring(declared), headers, signal };
      const legacy = legacyOf(callerId !== undefined);
      if (isKnownOld) return legacy[known](target, { ...sharedByEras, ...declaring(declared), headers, signal });
      const ask = () => connectHttp(target, { ...connectOptions, ...(era !== "modern" && { legacy }) });
      const connection = await ask().catch(async (error: unknown) => {
        if (era || !isUndecided(error)) throw withEraSetting(error, upstream);
        // The probe sends several requests, and a server may answer `initialize` but nothing before it.
        const { eras } = await probeFor(callerId, signal);
        if (!eras.legacy.isSpoken) throw withEraSetting(error, upstream);
        return ask();
      });
      if (connection.era === "modern") used = "streamable-http";
      return connection;
    },
    probe: (signal) => probeFor(undefined, signal),
    close,
  };
}

function createMemoryConnector(upstream: MemoryUpstream, options: ConnectorOptions): Connector {
  return {
    transport: () => "memory",
    async open(_signal, callerId, declared) {
      const { verdicts: _, ...shared } = sharedOptions(upstream);
      const own = {
        ...shared,
        ...declaring(declared),
        ...callOptions(upstream, options),
        hasOneCaller: callerId !== undefined,
      };
      return await connectLegacy(await upstream.open(), own);
    },
    close: () => {},
  };
}

/** What the first connection remembered may be outdated. */
function follow(verdicts: VerdictMemory, { href }: URL, { eras: { modern, legacy }, transport }: ProbeReport): void {
  if (modern.isSpoken && modern.word === "STATELESS") verdicts.delete(href);
  else if (legacy.isSpoken) {
    const [revision = ""] = legacy.revisions;
    const known = transport === "stdio" ? undefined : transport;
    verdicts.set(href, { era: "legacy", revision, transport: known ?? "streamable-http" });
  }
}

function createStdioConnector(upstream: StdioUpstream, options: ConnectorOptions): Connector {
  const { name, command, args, env, cwd, era } = upstream;
  const { onStderr, onWarning, onProcess, startTimeoutMs } = options;
  let hasWarned = false;
  /** Reported once, because such a server usually prints often. */
  function onJunk(line: string): void {
    if (hasWarned) return;
    hasWarned = true;
    onWarning?.(name, `writes to its stdout what is no message, which is skipped: ${line.slice(0, 200)}`);
  }
  const target = { command, args, env, ...(cwd !== undefined && { cwd }) };
  const shared = {
    ...sharedOptions(upstream),
    ...callOptions(upstream, options),
    ...(era && { era }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    onJunk,
    ...(onProcess && { onProcess: (pid: number, gone: Promise<void>) => onProcess(name, pid, gone) }),
    ...(onStderr && { onStderr: (line: string) => onStderr(name, line) }),
  };
  return {
    transport: () => "stdio",
    open: (signal, callerId, declared) =>
      connectStdio(target, { ...shared, ...declaring(declared), signal, hasOneCaller: callerId !== undefined }),
    close: () => {},
  };
}

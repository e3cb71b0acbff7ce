// One upstream entry of the gateway: its sessions, its endpoint and its sources of lists.
import type { CatalogSource, LiveCatalog } from "../../catalog/live-catalog.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { createConnector } from "../../upstreams/connection/open-connection.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
import { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { basePath, createEndpoint, type Endpoint, type EndpointParts } from "./endpoint.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { createLegacyEntry } from "./legacy-entry.ts";

export interface UpstreamEntry {
  readonly sessions: UpstreamSessions;
  readonly endpoint: Endpoint;
  /** The sources of its lists, one for each era. */
  readonly sources: readonly CatalogSource[];
  /** Releases what its connections share. Close the connections first. */
  close(): void;
}

export interface UpstreamEntryOptions extends Omit<EndpointParts, "path" | "upstreams" | "isMerged" | "onProblem"> {
  readonly catalog: LiveCatalog;
  readonly options: GatewayOptions;
  /** Whether upstreams without a stated verdict are probed. */
  readonly isProbing: boolean;
  /** Returns the entry that has a name now. */
  entryOf(name: string): UpstreamEntry | undefined;
}

export function createUpstreamEntry(upstream: UpstreamConfig, parts: UpstreamEntryOptions): UpstreamEntry {
  const { catalog, options, isProbing, entryOf, ...shared } = parts;
  const { onEvent, onProblem, onStderr, onProcess, circuitBreaker, probeTimeoutMs, probeAgainMs } = options;
  const { name, start, startTimeoutMs = options.startTimeoutMs } = upstream;
  const path = `${basePath}/${name}`;
  const connect = (configured: UpstreamConfig) =>
    createConnector(configured, {
      pendingCalls: shared.pendingCalls,
      issuers: options.issuers,
      onWarning: (_name, problem) => onProblem?.(`${name}: ${problem}`, name),
      ...(onStderr && { onStderr }),
      ...(onProcess && { onProcess }),
      ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    });
  const connector = connect(upstream);
  const common = {
    directory: shared.directory,
    path,
    onSessionEnd: (ended: Session) => shared.pendingCalls.drop(({ holder }) => holder?.session === ended),
    ...withoutUndefined({
      startTimeoutMs,
      circuitBreaker,
      probeTimeoutMs,
      probeAgainMs,
      mask: options.mask,
      facts: options.facts,
    }),
  };
  const legacy = createLegacyEntry({
    ...{ upstream, catalog, connect, sessions: common },
    newerEra: () => sessions,
    currentOf: () => entryOf(name)?.sessions,
    onEvent: (event) => entryOf(name) === member && onEvent?.(event),
    onProblem: (problem) => entryOf(name) === member && onProblem?.(`${name}: ${problem}`, name),
  });
  const sessions: UpstreamSessions = new UpstreamSessions({
    ...common,
    config: upstream,
    legacyEra: legacy?.era,
    connect: (...request) => connector.open(...request),
    transport: connector.transport,
    isKeyOfSuccessor(key) {
      const now = entryOf(name);
      return now !== undefined && now !== member && now.sessions.has(key);
    },
    onEvent(event) {
      if (entryOf(name) !== member) return;
      onEvent?.(event);
      if (event.kind === "ready") void catalog.refresh(name);
    },
    ...(isProbing && connector.probe && { probe: connector.probe }),
  });
  const own = new Map([[name, sessions]]);
  const endpoint = createEndpoint({
    ...shared,
    ...{ path, upstreams: own, isMerged: false },
    successor() {
      const now = entryOf(name);
      return now === member ? undefined : now?.endpoint.servable.dispatch;
    },
  });
  const source: CatalogSource = {
    ...{ name, dispatch: sessions.dispatch, isKept: start !== "demand" },
    onUnited(differences) {
      if (legacy) legacy.era.differences = differences;
    },
  };
  const sources = legacy ? [source, legacy.source] : [source];
  const close = () => {
    connector.close();
    legacy?.close();
  };
  const member: UpstreamEntry = { sessions, endpoint, sources, close };
  return member;
}

/** Removes undefined members, so that defaults apply. */
export function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

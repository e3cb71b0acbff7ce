// One upstream of the gateway, with all that is there for it alone: its sessions, its endpoint, its place in the catalogue.
import type { CatalogSource, LiveCatalog } from "./catalog/live-catalog.ts";
import type { UpstreamConfig } from "./config/upstream-config.ts";
import { basePath, createEndpoint, type Endpoint, type EndpointParts } from "./create-endpoint.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { UpstreamSessions } from "./sessions/upstream-sessions.ts";
import { type Connector, createConnector } from "./upstream/open-connection.ts";

export interface Member {
  readonly sessions: UpstreamSessions;
  readonly connector: Connector;
  readonly endpoint: Endpoint;
  readonly source: CatalogSource;
}

export interface MemberParts extends Omit<EndpointParts, "path" | "upstreams" | "isMerged" | "onProblem"> {
  readonly catalog: LiveCatalog;
  readonly options: GatewayOptions;
  /** Upstreams that state nothing are probed. */
  readonly isProbing: boolean;
  /** Who has a name at this moment. */
  memberOf(name: string): Member | undefined;
}

export function createMember(upstream: UpstreamConfig, parts: MemberParts): Member {
  const { catalog, options, isProbing, memberOf, ...shared } = parts;
  const { onEvent, onProblem, onStderr, onProcess, gate, probeTimeoutMs, probeAgainMs } = options;
  const { name, start, startTimeoutMs = options.startTimeoutMs } = upstream;
  const path = `${basePath}/${name}`;
  const connector = createConnector(upstream, {
    parkedCallTtlMs: shared.parked.ttlMs,
    issuers: options.issuers,
    onWarning: (_name, problem) => onProblem?.(`${name}: ${problem}`, name),
    ...(onStderr && { onStderr }),
    ...(onProcess && { onProcess }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
  });
  const sessions = new UpstreamSessions({
    config: upstream,
    directory: shared.directory,
    path,
    connect: (...asked) => connector.open(...asked),
    transport: connector.transport,
    onSessionEnd: (session) => shared.parked.forget(session),
    isTaken(place) {
      const now = memberOf(name);
      return now !== undefined && now !== member && now.sessions.has(place);
    },
    onEvent(event) {
      if (memberOf(name) !== member) return;
      onEvent?.(event);
      if (event.kind === "ready") void catalog.refresh(name);
    },
    ...withoutUndefined({
      startTimeoutMs,
      gate,
      probeTimeoutMs,
      probeAgainMs,
      mask: options.mask,
    }),
    ...(isProbing && connector.probe && { probe: connector.probe }),
  });
  const own = new Map([[name, sessions]]);
  const endpoint = createEndpoint({
    ...shared,
    ...{ path, upstreams: own, isMerged: false },
    successor() {
      const now = memberOf(name);
      return now === member ? undefined : now?.endpoint.servable.dispatch;
    },
  });
  const source = { name, dispatch: sessions.dispatch, isKept: start !== "demand" };
  const member: Member = { sessions, connector, endpoint, source };
  return member;
}

/** Options whose absence means a default. */
export function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

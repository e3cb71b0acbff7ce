// One upstream entry of the gateway: its sessions, its endpoint and its sources of lists.
import type { CatalogSource, LiveCatalog } from "../../catalog/live-catalog.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { extensionFilterOf } from "../../extensions/extension-filter.ts";
import { ObservedDeclarations } from "../../extensions/observed-declarations.ts";
import { type Connector, createConnector } from "../../upstreams/connection/open-connection.ts";
import type { UpstreamEvent } from "../../upstreams/connection/upstream.ts";
import type { RoomExchange } from "../../upstreams/directory/room-exchange.ts";
import type { LostSessions } from "../../upstreams/sessions/lost-sessions.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
import { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { basePath, createEndpoint, type Endpoint, type EndpointParts } from "./endpoint.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { createLegacyEntry, type LegacyEntry } from "./legacy-entry.ts";

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
  readonly lost: LostSessions;
  /** The room of other replicas. Undefined where they do not tell it. */
  readonly rooms: RoomExchange | undefined;
  /** Whether upstreams without a stated verdict are probed. */
  readonly isProbing: boolean;
  /** Returns the entry that has a name now. */
  entryOf(name: string): UpstreamEntry | undefined;
}

export function createUpstreamEntry(upstream: UpstreamConfig, parts: UpstreamEntryOptions): UpstreamEntry {
  return new ConnectedEntry(upstream, parts);
}

/** Built in the order of the constructor: connector, older era, sessions, endpoint. Callbacks start after it. */
class ConnectedEntry implements UpstreamEntry {
  readonly sessions: UpstreamSessions;
  readonly endpoint: Endpoint;
  readonly sources: readonly CatalogSource[];
  readonly #name: string;
  readonly #parts: UpstreamEntryOptions;
  readonly #connector: Connector;
  readonly #legacy: LegacyEntry | undefined;

  constructor(upstream: UpstreamConfig, parts: UpstreamEntryOptions) {
    const { catalog, options, isProbing, entryOf, ...shared } = parts;
    const { name, start } = upstream;
    const path = `${basePath}/${name}`;
    this.#name = name;
    this.#parts = parts;
    this.#connector = this.#connect(upstream);
    const common = { ...toSessionOptions(upstream, parts, path), declarations: new ObservedDeclarations() };
    this.#legacy = createLegacyEntry({
      ...{ upstream, catalog, sessions: common },
      connect: (configured) => this.#connect(configured),
      newerEra: () => this.sessions,
      currentOf: () => entryOf(name)?.sessions,
      onEvent: (event) => this.#isCurrent() && options.onEvent?.(event),
      onProblem: (problem) => this.#isCurrent() && options.onProblem?.(`${name}: ${problem}`, name),
    });
    const { open, probe, transport } = this.#connector;
    this.sessions = new UpstreamSessions({
      ...common,
      ...{ config: upstream, legacyEra: this.#legacy?.era, connect: open, transport },
      isKeyOfSuccessor: (key) => this.#successor()?.sessions.has(key) === true,
      onEvent: (event) => this.#reportEvent(event),
      ...(isProbing && probe && { probe }),
    });
    this.endpoint = createEndpoint({
      ...shared,
      ...{ path, upstreams: new Map([[name, this.sessions]]), isMerged: false },
      successor: () => this.#successor()?.endpoint.servable.dispatch,
    });
    const { sessions } = this;
    const source: CatalogSource = {
      ...{ name, dispatch: sessions.dispatch, isKept: start !== "demand", extensions: extensionFilterOf(upstream) },
      dispatchWith: (declared) => sessions.dispatchWith(declared),
      onDeclared: (declared, isDifferent) => sessions.declared.note(declared, isDifferent),
      onUnited: (differences) => {
        if (this.#legacy) this.#legacy.era.differences = differences;
      },
    };
    this.sources = this.#legacy ? [source, this.#legacy.source] : [source];
  }

  close(): void {
    this.#connector.close();
    this.#legacy?.close();
  }

  #connect(configured: UpstreamConfig): Connector {
    const { options, pendingCalls } = this.#parts;
    const { onProblem, onStderr, onProcess, issuers } = options;
    const { startTimeoutMs = options.startTimeoutMs } = configured;
    return createConnector(configured, {
      ...{ pendingCalls, issuers },
      onWarning: (_name, problem) => onProblem?.(`${this.#name}: ${problem}`, this.#name),
      ...(onStderr && { onStderr }),
      ...(onProcess && { onProcess }),
      ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    });
  }

  #reportEvent(event: UpstreamEvent): void {
    if (!this.#isCurrent()) return;
    this.#parts.options.onEvent?.(event);
    if (event.kind === "ready") void this.#parts.catalog.refresh(this.#name);
  }

  /** False before the configuration with this entry is active, and after it was replaced. */
  #isCurrent(): boolean {
    return this.#parts.entryOf(this.#name) === this;
  }

  /** The entry that has the same name now, if it is another one. */
  #successor(): UpstreamEntry | undefined {
    const now = this.#parts.entryOf(this.#name);
    return now === this ? undefined : now;
  }
}

/** The options that the sessions of both eras share. */
function toSessionOptions(
  upstream: UpstreamConfig,
  { options, pendingCalls, directory, lost, rooms, tracing }: UpstreamEntryOptions,
  path: string,
) {
  const { circuitBreaker, probeTimeoutMs, probeAgainMs, mask, facts } = options;
  const { startTimeoutMs = options.startTimeoutMs } = upstream;
  return {
    ...{ directory, lost, rooms, path, tracing },
    onSessionEnd: (ended: Session) => pendingCalls.drop(({ holder }) => holder?.session === ended),
    ...withoutUndefined({ startTimeoutMs, circuitBreaker, probeTimeoutMs, probeAgainMs, mask, facts }),
  };
}

/** Removes undefined members, so that defaults apply. */
export function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

// The older era of one upstream: a second connection, with its own sessions and its own source of lists.
import { modelRevision } from "@lethe/protocol";
import { type CatalogSource, type LiveCatalog, toLegacySource } from "../../catalog/live-catalog.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { extensionFilterOf } from "../../extensions/extension-filter.ts";
import type { Connector } from "../../upstreams/connection/open-connection.ts";
import type { UpstreamEvent } from "../../upstreams/connection/upstream.ts";
import { noteLegacyTools, recallLegacyTools } from "../../upstreams/sessions/learned-facts.ts";
import { LegacyEra } from "../../upstreams/sessions/legacy-era.ts";
import { UpstreamSessions, type UpstreamSessionsOptions } from "../../upstreams/sessions/upstream-sessions.ts";

export interface LegacyEntryOptions {
  readonly upstream: UpstreamConfig;
  readonly catalog: LiveCatalog;
  connect(upstream: UpstreamConfig): Connector;
  /** The options that the sessions of the newer era have as well. */
  readonly sessions: Omit<
    UpstreamSessionsOptions,
    "config" | "connect" | "transport" | "onEvent" | "probe" | "isTaken"
  >;
  newerEra(): UpstreamSessions;
  /** Returns the sessions of the upstream as it is configured now. */
  currentOf(): UpstreamSessions | undefined;
  onEvent(event: UpstreamEvent): void;
  onProblem(problem: string): void;
}

export interface LegacyEntry {
  readonly era: LegacyEra;
  readonly source: CatalogSource;
  /** Releases what its connections share. Close the connections first. */
  close(): void;
}

/** Returns undefined if the configuration names the era, or a transport that only the older era has. */
export function createLegacyEntry(parts: LegacyEntryOptions): LegacyEntry | undefined {
  const { upstream, catalog, onEvent, onProblem } = parts;
  const { name, kind } = upstream;
  const { facts } = parts.sessions;
  if (upstream.era !== undefined || (kind === "http" && upstream.transport === "http-sse")) return undefined;
  const config: UpstreamConfig = { ...upstream, era: "legacy", start: "demand" };
  const sourceName = toLegacySource(name);
  let connector: Connector | undefined;
  let sessions: UpstreamSessions | undefined;

  const era: LegacyEra = new LegacyEra({
    create() {
      connector ??= parts.connect(config);
      const { open, transport } = connector;
      sessions = new UpstreamSessions({
        ...parts.sessions,
        config,
        newerEra: parts.newerEra,
        connect: open,
        transport,
        isKeyOfSuccessor(key) {
          const now = parts.currentOf()?.legacyEra?.sessions;
          return now !== undefined && now !== sessions && now.has(key);
        },
        onEvent(event) {
          // Until then it is not known whether there is an older era.
          if (!era.sessions) return;
          if (event.kind === "ready") void catalog.refresh(sourceName);
          else if (event.kind === "failed") onProblem(`its connection for legacy clients failed: ${event.reason}`);
          else onEvent(event);
        },
      });
      return sessions;
    },
    read: () => catalog.read(sourceName),
    onTool(tool, isSwitched) {
      if (isSwitched && facts) void noteLegacyTools(facts, upstream, era.tools);
      onProblem(toAdvice(name, tool, isSwitched));
    },
  });
  // Starting the upstream takes longer than this read. A call that arrives earlier makes the gateway learn the tool again.
  if (facts) void recallLegacyTools(facts, upstream).then((tools) => era.restore(tools));
  return {
    era,
    source: {
      name: sourceName,
      legacyEraOf: name,
      extensions: extensionFilterOf(upstream),
      dispatch: (request, exchange) =>
        sessions ? sessions.dispatch(request, exchange) : Promise.reject(new Error("its older era is not open")),
      // Does not keep a second process running just for its lists.
      isKept: kind === "http" && upstream.start !== "demand",
    },
    close: () => connector?.close(),
  };
}

function toAdvice(name: string, tool: string, isSwitched: boolean): string {
  const fact = `tool ${tool} asks its client in a way that revision ${modelRevision} does not allow`;
  const effect = isSwitched ? "its calls use an older revision from now on" : "it fails for callers of this revision";
  const setting = `"upstreams": {"${name}": {"era": "legacy"}}`;
  return `${fact}: ${effect}; ${isSwitched ? "to make that permanent for the whole server" : "to use an older revision"}, set ${setting}`;
}

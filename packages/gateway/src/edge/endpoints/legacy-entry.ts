// The second connection of one upstream: its older era, with sessions and a place in the catalogue of its own.
import { modelRevision } from "@lethe/protocol";
import { type CatalogSource, type LiveCatalog, toLegacySource } from "../../catalog/live-catalog.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { Connector } from "../../upstreams/connection/open-connection.ts";
import type { UpstreamEvent } from "../../upstreams/connection/upstream.ts";
import { noteLegacyTools, recallLegacyTools } from "../../upstreams/sessions/learned-facts.ts";
import { LegacyEra } from "../../upstreams/sessions/legacy-era.ts";
import { UpstreamSessions, type UpstreamSessionsOptions } from "../../upstreams/sessions/upstream-sessions.ts";

export interface LegacyEntryOptions {
  readonly upstream: UpstreamConfig;
  readonly catalog: LiveCatalog;
  connect(upstream: UpstreamConfig): Connector;
  /** As for the sessions of the newer era. */
  readonly sessions: Omit<
    UpstreamSessionsOptions,
    "config" | "connect" | "transport" | "onEvent" | "probe" | "isTaken"
  >;
  newerEra(): UpstreamSessions;
  /** Of the upstream as it is configured now. */
  currentOf(): UpstreamSessions | undefined;
  onEvent(event: UpstreamEvent): void;
  onProblem(problem: string): void;
}

export interface LegacyEntry {
  readonly era: LegacyEra;
  readonly source: CatalogSource;
  /** Gives back what its connections share; they are closed before. */
  close(): void;
}

/** Undefined where the configuration names the era, or a transport that only the older one has. */
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
          // Whether there is an older era at all is being found out.
          if (!era.sessions) return;
          if (event.kind === "ready") void catalog.refresh(sourceName);
          else if (event.kind === "failed") onProblem(`its connection for older clients failed: ${event.reason}`);
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
  // The upstream takes longer to start than this takes to read. A call before it learns the tool again.
  if (facts) void recallLegacyTools(facts, upstream).then((tools) => era.restore(tools));
  return {
    era,
    source: {
      name: sourceName,
      legacyEraOf: name,
      dispatch: (request, exchange) =>
        sessions ? sessions.dispatch(request, exchange) : Promise.reject(new Error("its older era is not open")),
      // A second process is not kept running for our sake.
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

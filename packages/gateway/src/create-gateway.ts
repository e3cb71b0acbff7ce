// The gateway: every upstream of a configuration behind one stateless endpoint, and each alone behind its own.
import { createKeyRing, createSeal, keysFromEnvironment, type Servable } from "@lethe/server";
import { createStateSeal } from "./bridge/call-state.ts";
import { ParkedCalls } from "./bridge/parked-calls.ts";
import { createResourceWatches } from "./bridge/resource-watches.ts";
import type { CatalogView } from "./catalog/catalog-view.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import type { GatewayConfig } from "./config/upstream-config.ts";
import { createEndpoint } from "./create-endpoint.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { UpstreamSessions } from "./sessions/upstream-sessions.ts";
import { createLocalDirectory } from "./store/directory.ts";
import { createConnector } from "./upstream/open-connection.ts";
import { gatewayInfo } from "./upstream/own-request.ts";

export interface Gateway {
  /** `/mcp` is everything; `/mcp/{name}` is one upstream alone. */
  servableAt(path: string): Servable | undefined;
  readonly upstreams: readonly UpstreamSessions[];
  /** What everything together offers. */
  readonly catalog: CatalogView;
  /** How many calls wait for an answer of their callers. */
  readonly parkedCalls: number;
  /** Resolves when every upstream has been started and read, or has failed to be, once. */
  readonly settled: Promise<void>;
  /** Ends streams, connections and processes. */
  close(): Promise<void>;
}

/** Where everything is served; each upstream alone is one step below. */
export const basePath: string = "/mcp";

/** States of modern upstreams travel inside ours. */
const maxStateBytes = 256 * 1024;

export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { onEvent, onProblem, onStderr, startTimeoutMs, gate, verdictOf, directory = createLocalDirectory() } = options;
  const parked = new ParkedCalls(options);
  const watches = createResourceWatches(options);
  const ring = createKeyRing(options.keys ?? keysFromEnvironment());
  const sealOptions = { server: gatewayInfo.name, ttlMs: parked.ttlMs, maxBytes: maxStateBytes };
  const shared = { seal: createStateSeal(createSeal(ring, sealOptions)), directory, parked, watches };

  const connectors = config.upstreams.map((upstream) =>
    createConnector(upstream, {
      parkedCallTtlMs: parked.ttlMs,
      onWarning: (name, problem) => onProblem?.(`${name}: ${problem}`),
      ...(onStderr && { onStderr }),
    }),
  );
  const upstreams = config.upstreams.map(
    (upstream, index) =>
      new UpstreamSessions({
        config: upstream,
        directory,
        connect: (...asked) => (connectors[index] as (typeof connectors)[number]).open(...asked),
        onSessionEnd: (session) => parked.forget(session),
        onEvent(event) {
          onEvent?.(event);
          if (event.kind === "ready") void catalog.refresh(event.upstream);
        },
        ...withoutUndefined({ startTimeoutMs: upstream.startTimeoutMs ?? startTimeoutMs, gate, verdictOf }),
      }),
  );

  const complaints = onProblem ? { onProblem } : {};
  const merged = createEndpoint({ path: basePath, upstreams, isMerged: true, onListed, ...complaints, ...shared });
  const alone = upstreams.map((sessions) =>
    createEndpoint({
      path: `${basePath}/${sessions.name}`,
      upstreams: [sessions],
      isMerged: false,
      onListed,
      ...shared,
    }),
  );
  const endpoints = [merged, ...alone];
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
  const catalog: LiveCatalog = new LiveCatalog(
    upstreams.map(({ name, dispatch, config: { start } }) => ({ name, dispatch, isKept: start !== "demand" })),
    endpoints.map(({ view }) => view),
    complaints,
  );

  function onListed(names: readonly string[]): void {
    catalog.touch(names);
  }

  return {
    servableAt: (path) => byPath.get(path)?.servable,
    upstreams,
    catalog: merged.view,
    get parkedCalls() {
      return parked.size;
    },
    settled: settle(upstreams, catalog),
    async close() {
      for (const { servable } of endpoints) void servable.close?.();
      catalog.close();
      watches.close();
      parked.close();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      for (const connector of connectors) connector.close();
    },
  };
}

async function settle(upstreams: readonly UpstreamSessions[], catalog: LiveCatalog): Promise<void> {
  await Promise.allSettled(upstreams.map((upstream) => upstream.start().then(() => catalog.read(upstream.name))));
}

/** Options whose absence means a default. */
function withoutUndefined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

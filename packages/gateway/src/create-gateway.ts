// The gateway: every upstream of a configuration behind one stateless endpoint, and each alone behind its own.
import { type ChangeKind, createHub, type Servable } from "@lethe/server";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import type { GatewayConfig } from "./config/upstream-config.ts";
import { createMergedDispatch } from "./routing/merged-dispatch.ts";
import { openConnection } from "./upstream/open-connection.ts";
import { gatewayInfo } from "./upstream/own-request.ts";
import { Upstream, type UpstreamEvent } from "./upstream/upstream.ts";

export interface GatewayOptions {
  /** Told when an upstream starts, fails or is restarted. */
  onEvent?(event: UpstreamEvent): void;
  /** Told what could not be offered, and why. */
  onProblem?(problem: string): void;
  /** One line that an upstream wrote to its stderr. */
  onStderr?(upstream: string, line: string): void;
  /** How long an upstream may take to start, in ms. Default 30 000. */
  startTimeoutMs?: number;
}

export interface Gateway {
  /** `/mcp` is everything; `/mcp/{name}` is one upstream alone. */
  servableAt(path: string): Servable | undefined;
  readonly upstreams: readonly Upstream[];
  readonly catalog: LiveCatalog;
  /** Resolves when every upstream has been started and read, or has failed to be, once. */
  readonly settled: Promise<void>;
  /** Ends streams, connections and processes. */
  close(): Promise<void>;
}

/** Where everything is served; each upstream alone is one step below. */
export const basePath: string = "/mcp";
const listKinds: ReadonlySet<ChangeKind> = new Set(["tools", "prompts", "resources"]);

export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { onEvent, onProblem, onStderr, startTimeoutMs } = options;
  const upstreams = config.upstreams.map(
    (upstream) =>
      new Upstream({
        name: upstream.name,
        connect: (signal) => openConnection(upstream, { signal, ...(onStderr && { onStderr }) }),
        ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
        onEvent(event) {
          onEvent?.(event);
          if (event.kind === "ready") void catalog.refresh(event.upstream);
        },
      }),
  );
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  const hub = createHub({ supports: () => listKinds });
  const catalog: LiveCatalog = new LiveCatalog(upstreams, {
    onChange(kinds) {
      for (const kind of kinds) hub.publish({ kind });
    },
    ...(onProblem && { onProblem }),
  });
  const merged: Servable = {
    info: gatewayInfo,
    dispatch: createMergedDispatch({
      catalog: () => catalog.current,
      dispatchTo: (name) => (byName.get(name) as Upstream).dispatch,
      listen: hub.listen,
    }),
    close: () => hub.close(),
  };
  const alone = new Map<string, Servable>(
    upstreams.map(({ name, dispatch }) => [`${basePath}/${name}`, { info: gatewayInfo, dispatch }]),
  );
  return {
    servableAt: (path) => (path === basePath ? merged : alone.get(path)),
    upstreams,
    catalog,
    settled: settle(upstreams, catalog),
    async close() {
      hub.close();
      catalog.close();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}

async function settle(upstreams: readonly Upstream[], catalog: LiveCatalog): Promise<void> {
  await Promise.allSettled(upstreams.map((upstream) => upstream.started().then(() => catalog.refresh(upstream.name))));
}

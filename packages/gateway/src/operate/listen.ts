// Listens for a runtime: on the main port, and on a port of its own for administration where one is configured.
import type { RouteLookup } from "@lethe/server/edge";
import { type Serving, serve } from "@lethe/server/node";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import { createConsoleRoutes } from "./console/console-routes.ts";
import { toHttpOptions } from "./fixed-settings.ts";
import type { Runtime } from "./runtime.ts";

export interface CloseOptions {
  readonly graceMs?: number;
  readonly delayMs?: number;
}

export interface Listeners {
  readonly main: Serving;
  /** The listener of health, metrics and administration. The same as `main` unless `admin.port` is set. */
  readonly admin: Serving;
  /** Stops accepting requests after `delayMs`. Running requests get `graceMs` to finish. Both are 0 by default. */
  close(options?: CloseOptions): Promise<void>;
}

/** Rejects with an Error when a port is not available. Then it listens on none. */
export async function listen(runtime: Runtime, settings: GatewaySettings): Promise<Listeners> {
  const { edge, monitor } = runtime;
  const hasAdminPort = settings.admin?.port !== undefined;
  const healthRoutes: RouteLookup = (path) => runtime.healthRouteAt(path);
  const consoleRoutes = createConsoleRoutes(() => runtime.adminSettings);
  const adminRoutes: RouteLookup = (path) =>
    runtime.adminRouteAt(withoutSlash(path)) ?? runtime.healthRouteAt(path) ?? consoleRoutes(withoutSlash(path));
  const otherRoutes = hasAdminPort ? healthRoutes : adminRoutes;
  const onError = (error: unknown) => monitor.failed(error);
  const main = await serve((path) => edge.servableAt(withoutSlash(path)), {
    ...toHttpOptions(settings),
    path: basePath,
    routes: (path) => edge.cardRouteAt(path) ?? runtime.peerRouteAt(path) ?? otherRoutes(path),
    onError,
    onRefused: (reason, sender) => monitor.refused(reason, sender),
    onRejected: (status, sender) => monitor.rejected(status, sender),
    onConnectionRefused: () => monitor.connectionRefused(),
  });
  if (!hasAdminPort) return { main, admin: main, close: (options) => closeAll([main], options) };
  const { port = 0, host = "127.0.0.1" } = settings.admin ?? {};
  const admin = await serve(() => undefined, { port, host, routes: adminRoutes, onError }).catch(async (error) => {
    await closeAll([main]);
    throw error;
  });
  return { main, admin, close: (options) => closeAll([main, admin], options) };
}

async function closeAll(servings: readonly Serving[], options: CloseOptions = {}): Promise<void> {
  const { graceMs = 0, delayMs = 0 } = options;
  await Promise.all(servings.map((serving) => serving.close({ graceMs, delayMs })));
}

/** Users often write an address with a trailing slash. */
function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

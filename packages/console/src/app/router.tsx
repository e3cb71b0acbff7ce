// The pages by path. Only the fleet is part of the first download.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { FleetPage } from "./fleet/fleet-page.tsx";
import { HomePage } from "./home-page.tsx";
import type { LiveFilter } from "./live/live-filter.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { Shell } from "./shell.tsx";

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

const fleetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: () => (
    <HomePage>
      <FleetPage />
    </HomePage>
  ),
});

const upstreamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/upstreams/$name",
  component: lazyRouteComponent(() => import("./fleet/upstream-page.tsx"), "UpstreamPage"),
});

const liveRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/live",
  validateSearch: (search: Record<string, unknown>): LiveFilter => textsOf(search, ["q", "upstream", "outcome"]),
  component: lazyRouteComponent(() => import("./live/live-page.tsx"), "LivePage"),
});

const exchangeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/live/$id",
  component: lazyRouteComponent(() => import("./live/exchange-page.tsx"), "ExchangePage"),
});

const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/activity",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: "sessions" | "pending" | "tasks" } =>
    tab === "sessions" || tab === "pending" || tab === "tasks" ? { tab } : {},
  component: lazyRouteComponent(() => import("./work/activity-page.tsx"), "ActivityPage"),
});

const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/health",
  component: lazyRouteComponent(() => import("./health/health-page.tsx"), "HealthPage"),
});

const playgroundRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/playground",
  validateSearch: (search: Record<string, unknown>): PlaygroundSearch => ({
    ...(isKind(search.kind) && { kind: search.kind }),
    ...(typeof search.item === "string" && { item: search.item }),
    ...(typeof search.endpoint === "string" && { endpoint: search.endpoint }),
  }),
  component: lazyRouteComponent(() => import("./playground/playground-page.tsx"), "PlaygroundPage"),
});

export interface PlaygroundSearch {
  readonly kind?: "tools" | "prompts" | "resources";
  readonly item?: string;
  /** The name of a named endpoint. Absent: the merged endpoint. */
  readonly endpoint?: string;
}

function isKind(value: unknown): value is NonNullable<PlaygroundSearch["kind"]> {
  return value === "tools" || value === "prompts" || value === "resources";
}

function textsOf(search: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
}

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    ...[fleetRoute, upstreamRoute, liveRoute, exchangeRoute, activityRoute, playgroundRoute, healthRoute],
  ]),
  basepath: "/console",
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

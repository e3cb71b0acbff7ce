// The administration interface for operators and the console: JSON below `/admin`, and metrics. Known secrets are masked; see
// observe/redact.ts.

import type { Sender } from "@lethe/server/auth";
import type { HttpAnswer, Route, RouteRequest, StreamedAnswer } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/gateway-settings.ts";
import type { ExchangeQuery, KeptExchange } from "../observe/exchange-ring.ts";
import type { GatewayView, UpstreamView } from "../observe/gateway-view.ts";
import type { Metrics } from "../observe/metrics.ts";
import { createAdminAccess } from "./access.ts";
import type { AdminEvents } from "./admin-events.ts";
import type { AdminState } from "./state-changes.ts";

export interface AdminSource {
  view(): GatewayView;
  exchanges(query: ExchangeQuery): KeptExchange[];
  /** Returns the last lines that an upstream wrote to stderr. */
  stderrOf(upstream: string): readonly string[];
  /** The active configuration, with secrets masked. */
  config(): unknown;
  about(): object;
  metrics: Metrics;
  readonly events: AdminEvents;
  reload(): Promise<{ isApplied: boolean; problems: readonly string[] }>;
  onRefused(reason: string, sender: Sender): void;
}

type Respond = (
  request: RouteRequest,
  query: URLSearchParams,
) => HttpAnswer | StreamedAnswer | Promise<HttpAnswer | StreamedAnswer>;

const base = "/admin";

/** Returns the route of a path, or undefined for a path outside of administration. */
export function createAdminRoutes(
  source: AdminSource,
  settings: AdminSettings | undefined,
): (path: string) => Route | undefined {
  const access = createAdminAccess(settings, source.onRefused);
  const pages = toPages(source);

  function behindAccess(verb: string, respond: Respond): Route {
    const open = toOpenRoute(verb, respond);
    // Administration has its own stricter check of Host and Origin. With the key, a scraper may use the address as its host.
    return { ...open, respond: async (request) => (await access(request)) ?? open.respond(request) };
  }

  const metrics: Respond = async () => ({
    status: 200,
    headers: { "Content-Type": source.metrics.contentType },
    body: await source.metrics.text(source.view()),
  });
  const metricsRoute = (settings?.hasPublicMetrics ? toOpenRoute : behindAccess)("GET", metrics);
  const routes = new Map(pages.map(({ verb, path, respond }) => [base + path, behindAccess(verb, respond)]));

  return (path) => {
    if (path === "/metrics") return metricsRoute;
    const route = routes.get(path);
    if (route || !path.startsWith(`${base}/upstreams/`)) return route;
    const name = path.slice(`${base}/upstreams/`.length);
    return behindAccess("GET", () => toUpstreamAnswer(name, source));
  };
}

function toOpenRoute(verb: string, respond: Respond): Route {
  return {
    isPublic: true,
    respond(request) {
      if (request.verb !== verb && !(verb === "GET" && request.verb === "HEAD")) {
        return { status: 405, headers: { Allow: verb }, body: "" };
      }
      return respond(request, new URLSearchParams(request.url.split("?")[1]));
    },
  };
}

interface Page {
  verb: "GET" | "POST";
  path: string;
  respond: Respond;
}

function toPages(source: AdminSource): Page[] {
  const get = (path: string, read: (query: URLSearchParams) => unknown): Page => ({
    verb: "GET",
    path,
    respond: (_request, query) => toJson(200, read(query)),
  });
  return [
    get("", () => toAdminState(source).summary),
    get("/upstreams", () => ({ upstreams: source.view().upstreams })),
    get("/sessions", () => ({ sessions: source.view().sessions })),
    get("/pending-calls", () => ({ pendingCalls: source.view().pendingCalls })),
    get("/tasks", () => ({ tasks: source.view().tasks })),
    get("/exchanges", (query) => ({ exchanges: source.exchanges(toExchangeQuery(query)) })),
    get("/config", () => source.config()),
    {
      verb: "GET",
      path: "/events",
      respond({ verb, headers }, query) {
        if (verb === "HEAD") return { status: 200, headers: { "Content-Type": "text/event-stream" }, body: "" };
        return source.events.respond(toExchangeQuery(query), headers("last-event-id"));
      },
    },
    {
      verb: "POST",
      path: "/reload",
      async respond() {
        const outcome = await source.reload();
        return toJson(outcome.isApplied ? 200 : 422, outcome);
      },
    },
  ];
}

export function toAdminState(source: Pick<AdminSource, "about" | "view">): AdminState {
  const view = source.view();
  return { summary: { ...source.about(), ...summaryOf(view) }, upstreams: view.upstreams };
}

function summaryOf({ upstreams, sessions, pendingCalls, tasks, shared }: GatewayView): object {
  const states: Partial<Record<UpstreamView["state"], number>> = {};
  for (const { state } of upstreams) states[state] = (states[state] ?? 0) + 1;
  const warnings = upstreams.flatMap(({ name, warnings: own }) => own.map((warning) => `${name}: ${warning}`));
  return {
    upstreams: states,
    sessions: sessions.length,
    pendingCalls: pendingCalls.length,
    tasks: tasks.length,
    ...(shared && { shared }),
    warnings,
  };
}

function toUpstreamAnswer(name: string, source: AdminSource): HttpAnswer {
  const { upstreams, sessions, pendingCalls, tasks } = source.view();
  const upstream = upstreams.find((candidate) => candidate.name === name);
  if (!upstream) return toJson(404, { error: `no upstream ${name}` });
  const isOwn = (item: { upstream: string }) => item.upstream === name;
  return toJson(200, {
    ...upstream,
    openSessions: sessions.filter(isOwn),
    pendingCalls: pendingCalls.filter(isOwn),
    liveTasks: tasks.filter(isOwn),
    stderr: source.stderrOf(name),
  });
}

function toExchangeQuery(query: URLSearchParams): ExchangeQuery {
  const number = (name: string) =>
    query.has(name) ? Math.max(0, Math.trunc(Number(query.get(name)) || 0)) : undefined;
  const text = (name: string) => query.get(name) ?? undefined;
  return {
    limit: number("limit"),
    after: number("after"),
    upstream: text("upstream"),
    caller: text("caller"),
    method: text("method"),
    outcome: text("outcome"),
  };
}

function toJson(status: number, value: unknown): HttpAnswer {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: `${JSON.stringify(value, null, 2)}\n` };
}

// The routes of the administration: the API below /admin/v1, its description and its event stream, and metrics. Known secrets are
// masked; see observe/redact.ts.
import type { HttpAnswer, Route, RouteRequest } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/schema/settings.ts";
import type { ExchangeQuery } from "../observe/exchange-ring.ts";
import { createAdminAccess } from "./access.ts";
import type { AdminApi } from "./admin-api.ts";
import type { AdminEvents } from "./admin-events.ts";
import type { AdminSource } from "./answers/admin-source.ts";
import { toExchangeQuery } from "./answers/exchange-answers.ts";
import { ApiError, type ApiRequest } from "./api/api-request.ts";
import { adminPath, createOpenApiDocument } from "./api/openapi.ts";
import { type FoundOperation, findOperation } from "./route-table.ts";

export interface AdminRouteOptions {
  readonly source: AdminSource;
  readonly api: AdminApi;
  readonly events: AdminEvents;
  readonly settings: AdminSettings | undefined;
}

type RouteAnswer = Awaited<ReturnType<Route["respond"]>>;
type Respond = (request: RouteRequest, query: Readonly<Record<string, string>>) => RouteAnswer | Promise<RouteAnswer>;

/** Returns the route of a path, or undefined for a path outside of administration. */
export function createAdminRoutes(options: AdminRouteOptions): (path: string) => Route | undefined {
  const { source, api, events, settings } = options;
  const access = createAdminAccess(settings, source.onRefused);

  function behindAccess(verb: string, respond: Respond): Route {
    const open = toOpenRoute(verb, respond);
    // Administration has its own stricter check of Host and Origin. With the key, a scraper may use the address as its host.
    return { ...open, respond: async (request) => (await access(request)) ?? open.respond(request) };
  }

  const metrics: Respond = async () => ({
    status: 200,
    headers: { "Content-Type": source.metrics.contentType },
    body: await source.metricsText(),
  });
  const fixed = new Map([
    ["/metrics", (settings?.publicMetrics ? toOpenRoute : behindAccess)("GET", metrics)],
    [`${adminPath}/openapi.json`, behindAccess("GET", () => toJson(200, createOpenApiDocument()))],
    [`${adminPath}/events`, behindAccess("GET", (request, query) => beginEvents(events, request, query))],
  ]);
  const unknown = behindAccess("GET", () => toProblem(404, `unknown path; ${adminPath}/openapi.json lists them`));

  return (path) => {
    const route = fixed.get(path);
    if (route) return route;
    const found = findOperation(path);
    if (found) return behindAccess(found.operation.verb, (request, query) => begin(api, found, { request, query }));
    return path === "/admin" || path.startsWith("/admin/") ? unknown : undefined;
  };
}

interface Given {
  readonly request: RouteRequest;
  readonly query: Readonly<Record<string, string>>;
}

/** An operation with a body runs when that has arrived. Access was granted before. */
function begin(api: AdminApi, found: FoundOperation, { request, query }: Given): RouteAnswer | Promise<HttpAnswer> {
  const { path, operation } = found;
  const by = request.remoteAddress;
  const asked: ApiRequest = { path, query, ...(by !== undefined && { by }) };
  if (!operation.body) return run(api, found, asked);
  return {
    async receive(text) {
      const body = parse(text);
      if (body === undefined) return toProblem(400, "the body must be JSON");
      return run(api, found, { ...asked, body });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function run(api: AdminApi, { name, operation }: FoundOperation, request: ApiRequest): Promise<HttpAnswer> {
  try {
    const answer = await api.run(name, request);
    const isRefused = operation.statuses?.includes(422) && (answer as { isApplied?: boolean }).isApplied === false;
    return toJson(isRefused ? 422 : 200, answer);
  } catch (error) {
    if (error instanceof ApiError) return toProblem(error.status, error.message);
    throw error;
  }
}

function beginEvents(
  events: AdminEvents,
  { verb, headers }: RouteRequest,
  query: Readonly<Record<string, string>>,
): RouteAnswer {
  if (verb === "HEAD") return { status: 200, headers: { "Content-Type": "text/event-stream" }, body: "" };
  return events.respond(toEventsQuery(query), headers("last-event-id"));
}

/** Throws nothing: a limit that is no number counts as none. */
function toEventsQuery({ limit, ...query }: Readonly<Record<string, string>>): ExchangeQuery {
  const wanted = toExchangeQuery({ path: {}, query });
  return { ...wanted, limit: /^\d{1,9}$/.test(limit ?? "") ? Number(limit) : undefined };
}

function toOpenRoute(verb: string, respond: Respond): Route {
  return {
    isPublic: true,
    respond(request) {
      if (request.verb !== verb && !(verb === "GET" && request.verb === "HEAD")) {
        return { status: 405, headers: { Allow: verb }, body: "" };
      }
      return respond(request, Object.fromEntries(new URLSearchParams(request.url.split("?")[1])));
    },
  };
}

function toProblem(status: number, error: string): HttpAnswer {
  return toJson(status, { error });
}

function toJson(status: number, value: unknown): HttpAnswer {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}

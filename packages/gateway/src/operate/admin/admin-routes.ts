// The routes of the administration: the API below /admin/v1, its description and its event stream, and metrics. Known secrets are
// masked; see observe/redact.ts.
import type { HttpAnswer, Route, RouteRequest, StreamedAnswer } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/gateway-settings.ts";
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

type Answer = HttpAnswer | StreamedAnswer;
type Respond = (request: RouteRequest, query: Readonly<Record<string, string>>) => Answer | Promise<Answer>;

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
    body: await source.metrics.text(source.view()),
  });
  const fixed = new Map([
    ["/metrics", (settings?.hasPublicMetrics ? toOpenRoute : behindAccess)("GET", metrics)],
    [`${adminPath}/openapi.json`, behindAccess("GET", () => toJson(200, createOpenApiDocument()))],
    [`${adminPath}/events`, behindAccess("GET", (request, query) => beginEvents(events, request, query))],
  ]);
  const unknown = behindAccess("GET", () => toProblem(404, `unknown path; ${adminPath}/openapi.json lists them`));

  return (path) => {
    const route = fixed.get(path);
    if (route) return route;
    const found = findOperation(path);
    if (found) return behindAccess(found.operation.verb, (_request, query) => run(api, found, query));
    return path === "/admin" || path.startsWith("/admin/") ? unknown : undefined;
  };
}

async function run(
  api: AdminApi,
  { name, path, operation }: FoundOperation,
  query: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const request: ApiRequest = { path, query };
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
): Answer {
  if (verb === "HEAD") return { status: 200, headers: { "Content-Type": "text/event-stream" }, body: "" };
  const { limit: _, ...wanted } = toExchangeQuery({ path: {}, query: { ...query, limit: "0" } });
  return events.respond(wanted, headers("last-event-id"));
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

// Who gets the files of the console, and what the page learns about its server.
import type { RouteLookup, RouteRequest } from "@lethe/server/edge";
import { describe, expect, it } from "vitest";
import type { AdminSettings } from "../../config/schema/settings.ts";
import { createConsoleRoutes } from "./console-routes.ts";
import { createPlaygroundRoutes } from "./playground-routes.ts";

const ask = (path: string, settings: AdminSettings | undefined, more: Partial<RouteRequest> = {}) =>
  askRoutes(
    createConsoleRoutes(() => settings),
    path,
    more,
  );

async function askRoutes(routes: RouteLookup, path: string, more: Partial<RouteRequest> = {}) {
  const headers: Record<string, string> = { host: "localhost:3000", accept: "text/html" };
  const request: RouteRequest = {
    ...{ verb: "GET", url: path, headers: (name) => headers[name], remoteAddress: "192.0.2.1", isLoopback: true },
    ...more,
  };
  const answer = await routes(path)?.respond(request);
  if (!answer || !("status" in answer)) throw new Error("an answer expected");
  return answer;
}

const elsewhere = { isLoopback: false };
const key = "key-of-admin-0123456789";

it("gives the console to this machine only, unless there is a key", async () => {
  expect((await ask("/console/settings.json", undefined)).status).toBe(200);
  expect((await ask("/console/settings.json", undefined, elsewhere)).status).toBe(403);
  expect((await ask("/console/settings.json", { key }, elsewhere)).status).toBe(200);
});

it("offers no playground on a port that has no MCP endpoint", async () => {
  expect(JSON.parse((await ask("/console/settings.json", {})).body)).toEqual({ admin: "/admin/v1", mcp: "/mcp" });
  expect(JSON.parse((await ask("/console/settings.json", { port: 9000 })).body)).toEqual({ admin: "/admin/v1" });
});

it("leads browsers from the start to the console, and programs nowhere", async () => {
  expect(await ask("/", undefined)).toMatchObject({ status: 302, headers: { Location: "/console/" } });
  expect((await ask("/", undefined, { headers: () => "application/json" })).status).toBe(404);
});

it("confines every page by a content policy", async () => {
  const { headers } = await ask("/console/settings.json", undefined);
  expect(headers["Content-Security-Policy"]).toContain("default-src 'none'; script-src 'self'");
  expect(headers["X-Content-Type-Options"]).toBe("nosniff");
});

describe("the console of an endpoint without administration", () => {
  const routes = createPlaygroundRoutes({ name: "notes", mcp: "/tools" });
  const from = (headers: Record<string, string>, isLoopback = true): Partial<RouteRequest> => ({
    headers: (name) => ({ host: "localhost:3000", ...headers })[name],
    isLoopback,
  });

  it("offers the playground of the endpoint, and no administration", async () => {
    const answer = await askRoutes(routes, "/console/settings.json");
    expect(JSON.parse(answer.body)).toEqual({ name: "notes", mcp: "/tools" });
    expect(answer.headers["Content-Security-Policy"]).toContain("default-src 'none'");
  });

  it.each([
    ["another machine", from({}, false)],
    ["a proxy", from({ "x-forwarded-for": "203.0.113.7" })],
    ["a page of another origin", from({ origin: "https://evil.example" })],
    ["a page of another port", from({ origin: "http://localhost:5173" })],
    ["a page whose name was rebound to this machine", from({ host: "evil.example:3000" })],
  ])("refuses %s", async (_name, request) => {
    for (const path of ["/console", "/console/settings.json"]) {
      expect((await askRoutes(routes, path, request)).status).toBe(403);
    }
  });
});

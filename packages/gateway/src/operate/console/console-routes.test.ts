// Who gets the files of the console, and what the page learns about its server.
import type { RouteRequest } from "@lethe/server/edge";
import { expect, it } from "vitest";
import type { AdminSettings } from "../../config/gateway-settings.ts";
import { createConsoleRoutes } from "./console-routes.ts";

async function ask(path: string, settings: AdminSettings | undefined, more: Partial<RouteRequest> = {}) {
  const headers: Record<string, string> = { host: "localhost:3000", accept: "text/html" };
  const request: RouteRequest = {
    ...{ verb: "GET", url: path, headers: (name) => headers[name], remoteAddress: "192.0.2.1", isLoopback: true },
    ...more,
  };
  const answer = await createConsoleRoutes(() => settings)(path)?.respond(request);
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

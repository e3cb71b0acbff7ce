// The web console of the gateway, at /console on the port of administration.
import { answerConsole, type ConsoleSettings, consolePath } from "@lethe/console";
import type { Route, RouteLookup, RouteRequest } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/gateway-settings.ts";
import { basePath } from "../../edge/endpoints/endpoint.ts";
import { createAdminAccess } from "../admin/access.ts";

/**
 * `settings` returns those in force. The files of the console contain no secrets, and a browser sends no key when it opens a page. So with
 * a key, everyone who reaches the port gets the files, and the page asks for the key before it reads anything. Without a key, only this
 * machine gets them.
 */
export function createConsoleRoutes(settings: () => AdminSettings | undefined): RouteLookup {
  const localAccess = createAdminAccess();

  async function respond(path: string, request: RouteRequest): ReturnType<typeof answerConsole> {
    const { key, port } = settings() ?? {};
    const refusal = key === undefined ? await localAccess(request) : undefined;
    if (refusal) return refusal;
    // On a port of its own, administration has no MCP endpoint that the playground could use.
    const offer: ConsoleSettings = { admin: "/admin/v1", ...(port === undefined && { mcp: basePath }) };
    const { verb, headers } = request;
    return answerConsole({ verb, path, header: (name) => headers(name) }, offer);
  }

  return (path) => {
    if (path === "" || path === "/") return home;
    // A trailing slash was removed.
    if (path === consolePath) return { isPublic: true, respond: (request) => respond(`${consolePath}/`, request) };
    return path.startsWith(`${consolePath}/`)
      ? { isPublic: true, respond: (request) => respond(path, request) }
      : undefined;
  };
}

/** Leads browsers to the console. */
const home: Route = {
  isPublic: true,
  respond: ({ verb, headers }) => {
    const isPage = verb === "GET" && (headers("accept") ?? "").includes("text/html");
    if (isPage) return { status: 302, headers: { Location: `${consolePath}/` }, body: "" };
    return { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found" };
  },
};

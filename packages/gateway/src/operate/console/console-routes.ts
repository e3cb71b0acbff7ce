// The web console of the gateway, at /console on the port of administration.
import type { RouteLookup } from "@lethe/server/edge";
import type { AdminSettings } from "../../config/schema/settings.ts";
import { basePath } from "../../edge/endpoints/endpoint.ts";
import { createAdminAccess } from "../admin/access.ts";
import { createConsoleLookup } from "./console-lookup.ts";

/**
 * `settings` returns those in force. The files of the console contain no secrets, and a browser sends no key when it opens a page. So with
 * a key, everyone who reaches the port gets the files, and the page asks for the key before it reads anything. Without a key, only this
 * machine gets them.
 */
export function createConsoleRoutes(settings: () => AdminSettings | undefined): RouteLookup {
  const localAccess = createAdminAccess();
  return createConsoleLookup(async (request) => {
    const { key, port } = settings() ?? {};
    const refusal = key === undefined ? await localAccess(request) : undefined;
    // On a port of its own, administration has no MCP endpoint that the playground could use.
    return refusal ?? { admin: "/admin/v1", ...(port === undefined && { mcp: basePath }) };
  });
}

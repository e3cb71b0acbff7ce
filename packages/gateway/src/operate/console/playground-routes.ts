// The web console of one MCP endpoint without administration.
import type { ConsoleSettings } from "@lethe/console";
import type { RouteLookup } from "@lethe/server/edge";
import { refuseOthers } from "../admin/access.ts";
import { createConsoleLookup } from "./console-lookup.ts";

/** It has the playground only, and only browsers on this machine get it. */
export function createPlaygroundRoutes(offer: Required<Pick<ConsoleSettings, "name" | "mcp">>): RouteLookup {
  const hint = "from another one, use lethe console URL";
  return createConsoleLookup(async (request) => refuseOthers(request, hint) ?? offer);
}

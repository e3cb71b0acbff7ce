// Finds the tools that a tools/call could mean: by a public name, or for a call of an MCP App by the name that its own server uses.
import type { JsonObject, ModernRequest } from "@lethe/protocol";
import { type OwnNamedTool, type OwnNames, toOwnNames } from "../../catalog/app-tools.ts";
import type { Catalog } from "../../catalog/merge-catalogs.ts";
import type { ToolRoute } from "../../catalog/route.ts";
import { uiReferenceOf } from "../../catalog/ui-references.ts";
import { ambiguousTool } from "./unknown-target.ts";

const ownNames = new WeakMap<Catalog["toolRoutes"], OwnNames>();
const none: readonly OwnNamedTool[] = [];

/**
 * Returns one tool for a public name, and all tools with the same own name for any other. A host that names the app in
 * `_meta.ui.resourceUri`, by its public URI, reaches the tools of the app's own server and no others.
 */
export function candidatesOf(catalog: Catalog, name: string, meta: JsonObject): readonly OwnNamedTool[] {
  const route = catalog.toolRoutes.get(name);
  const owner = appOwnerOf(catalog, meta);
  if (route) return owner === undefined || route.upstream === owner ? [{ route, isForApps: true }] : none;
  const named = ownNamesOf(catalog).get(name) ?? none;
  return owner === undefined ? named : named.filter((own) => own.route.upstream === owner);
}

/**
 * Returns the tool of a call. An own name must lead to one tool that this caller may call, and that tool must be for apps. Throws
 * McpError if several could be meant.
 */
export function resolveTool(
  catalog: Catalog,
  { params }: ModernRequest,
  mayCall: (upstream: string, tool: string) => boolean,
): ToolRoute | undefined {
  const name = String(params.name);
  const candidates = candidatesOf(catalog, name, params._meta);
  // The policy has already checked a public name.
  if (catalog.toolRoutes.has(name)) return candidates[0]?.route;
  const [only, ...others] = candidates.filter(({ route }) => mayCall(route.upstream, route.name));
  if (others.length > 0) throw ambiguousTool(name, publicNamesOf(catalog, candidates));
  return only?.isForApps ? only.route : undefined;
}

function publicNamesOf({ toolRoutes }: Catalog, candidates: readonly OwnNamedTool[]): string[] {
  const routes = new Set(candidates.map(({ route }) => route));
  return [...toolRoutes].flatMap(([name, route]) => (routes.has(route) ? [name] : []));
}

/** Returns the upstream whose app makes the call, if the request says so. */
function appOwnerOf({ uris }: Catalog, meta: JsonObject): string | undefined {
  const uri = uiReferenceOf(meta);
  const [owner] = uri === undefined ? [] : uris.ownersOf(uri);
  // Only a public URI of a merged endpoint names its upstream.
  return owner && owner.uri !== uri ? owner.upstream : undefined;
}

/** Built when an unknown name first asks for them. */
function ownNamesOf({ tools, toolRoutes }: Catalog): OwnNames {
  const known = ownNames.get(toolRoutes);
  if (known) return known;
  const made = toOwnNames(tools, toolRoutes);
  ownNames.set(toolRoutes, made);
  return made;
}

// Many catalogues become one: public names for tools and prompts, and the routes that lead back (J-57, J-58).
import type { ParamHeader, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from "@lethe/protocol";
import { parseParamHeaders } from "@lethe/protocol";
import { toPublicName } from "./public-name.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";
import { createUriMatcher } from "./uri-matcher.ts";

/** Where a public name leads: the upstream, and the name that it knows. */
export interface Route {
  upstream: string;
  name: string;
}

export interface ToolRoute extends Route {
  paramHeaders: readonly ParamHeader[];
}

export interface TemplateRoute {
  upstream: string;
  uriTemplate: string;
  matches(uri: string): boolean;
}

export interface Catalog {
  capabilities: ServerCapabilities;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: ResourceTemplate[];
  toolRoutes: ReadonlyMap<string, ToolRoute>;
  promptRoutes: ReadonlyMap<string, Route>;
  /** By URI. */
  resourceRoutes: ReadonlyMap<string, Route>;
  /** In the order of the lists: the first that matches wins. */
  templateRoutes: readonly TemplateRoute[];
  /** What could not be offered and why, for the operator. */
  problems: string[];
}

export function mergeCatalogs(parts: readonly UpstreamCatalog[]): Catalog {
  const problems: string[] = [];
  const tools = mergeNamed(parts, (part) => part.tools, "tool", problems);
  const prompts = mergeNamed(parts, (part) => part.prompts, "prompt", problems);
  const resourceRoutes = new Map<string, Route>();
  const resources: Resource[] = [];
  for (const { upstream, resources: offered } of parts) {
    for (const resource of offered) {
      const taken = resourceRoutes.get(resource.uri);
      if (taken) problems.push(`resource ${resource.uri} of ${upstream} is hidden by the one of ${taken.upstream}`);
      else {
        resourceRoutes.set(resource.uri, { upstream, name: resource.uri });
        resources.push(resource);
      }
    }
  }
  const toolRoutes = new Map<string, ToolRoute>();
  const legalTools = tools.items.filter((tool) => {
    const route = tools.routes.get(tool.name) as Route;
    try {
      toolRoutes.set(tool.name, { ...route, paramHeaders: parseParamHeaders(tool.inputSchema) });
      return true;
    } catch (error) {
      problems.push(`tool ${route.name} of ${route.upstream} is left out: ${(error as Error).message}`);
      return false;
    }
  });
  return {
    capabilities: mergeCapabilities(parts),
    tools: legalTools,
    prompts: prompts.items,
    resources,
    templates: parts.flatMap(({ templates }) => templates),
    toolRoutes,
    promptRoutes: prompts.routes,
    resourceRoutes,
    templateRoutes: parts.flatMap(({ upstream, templates }) =>
      templates.map(({ uriTemplate }) => ({ upstream, uriTemplate, matches: createUriMatcher(uriTemplate) })),
    ),
    problems,
  };
}

function mergeNamed<T extends { name: string; title?: string }>(
  parts: readonly UpstreamCatalog[],
  itemsOf: (part: UpstreamCatalog) => readonly T[],
  kind: string,
  problems: string[],
): { items: T[]; routes: Map<string, Route> } {
  const routes = new Map<string, Route>();
  const items: T[] = [];
  for (const part of parts) {
    for (const item of itemsOf(part)) {
      const name = toPublicName(part.upstream, item.name);
      if (routes.has(name)) problems.push(`${kind} ${item.name} of ${part.upstream} is left out: ${name} is taken`);
      else {
        routes.set(name, { upstream: part.upstream, name: item.name });
        items.push({ ...item, name });
      }
    }
  }
  return { items, routes };
}

/** The union of what the upstreams offer, as far as the gateway relays it. */
function mergeCapabilities(parts: readonly UpstreamCatalog[]): ServerCapabilities {
  const offered = parts.map(({ discover }) => discover.capabilities);
  const merged: ServerCapabilities = {};
  if (offered.some(({ tools }) => tools)) merged.tools = { listChanged: true };
  if (offered.some(({ prompts }) => prompts)) merged.prompts = { listChanged: true };
  if (offered.some(({ resources }) => resources)) merged.resources = { listChanged: true };
  if (offered.some(({ completions }) => completions)) merged.completions = {};
  if (offered.some(({ logging }) => logging)) merged.logging = {};
  return merged;
}

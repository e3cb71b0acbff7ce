// Many catalogues become one: public names for tools and prompts, and the routes that lead back (J-57, J-58).
import {
  type CacheScope,
  declaresTasks,
  type Prompt,
  parseParamHeaders,
  type ServerCapabilities,
  type Tool,
  taskSupportOf,
  withTaskSupport,
} from "@lethe/protocol";
import type { CatalogPart, CatalogProblem } from "./catalog-part.ts";
import type { NameRule } from "./exposure.ts";
import { mergeCapabilities, mergeInstructions } from "./merge-features.ts";
import { type MergedResources, mergeResources } from "./merge-resources.ts";
import { toPublicName } from "./public-name.ts";
import type { Route, ToolRoute } from "./route.ts";
import { gatewayIdentity, type ServerIdentity, toServerIdentity } from "./server-identity.ts";

export interface Catalog extends MergedResources {
  capabilities: ServerCapabilities;
  instructions: string | undefined;
  identity: ServerIdentity;
  tools: Tool[];
  prompts: Prompt[];
  toolRoutes: ReadonlyMap<string, ToolRoute>;
  promptRoutes: ReadonlyMap<string, Route>;
  /** ms since 1970; of all parts the shortest (E-56). */
  freshUntil: number;
  cacheScope: CacheScope;
  problems: CatalogProblem[];
}

export function mergeCatalogs(parts: readonly CatalogPart[]): Catalog {
  const problems = parts.flatMap(({ catalog: { upstream, problems } }) =>
    problems.map((problem): CatalogProblem => ({ upstream, problem })),
  );
  const tools = mergeTools(parts, problems);
  const prompts = mergeNamed(
    parts,
    ({ catalog, rules }) => ({ items: catalog.prompts, rule: rules.prompts }),
    "prompt",
    problems,
  );
  const resources = mergeResources(parts, problems);
  const catalogs = parts.map(({ catalog }) => catalog);
  return {
    capabilities: mergeCapabilities(catalogs, parts.some(hasTasks)),
    instructions: mergeInstructions(catalogs),
    identity: identityOf(parts),
    ...tools,
    prompts: prompts.items,
    promptRoutes: prompts.routes,
    ...resources,
    freshUntil: Math.min(...catalogs.map(({ freshUntil }) => freshUntil)),
    cacheScope:
      catalogs.length > 0 && catalogs.every(({ cacheScope }) => cacheScope === "public") ? "public" : "private",
    problems,
  };
}

function identityOf([part]: readonly CatalogPart[]): ServerIdentity {
  return part?.rules.keepsIdentity ? toServerIdentity(part.catalog.discover) : gatewayIdentity;
}

/** J-61: whoever gets a task must be able to ask after it. */
function hasTasks(part: CatalogPart): boolean {
  const { tools, discover } = part.catalog;
  const { relaysTasks = true } = part.rules;
  if (makesTasks(part)) return true;
  return relaysTasks && (declaresTasks(discover.capabilities) || tools.some(taskSupportOf));
}

/** Its tools do not say whether they run as tasks: any of them can, for a client of 2025-11-25 that asks for one. */
function leavesTasksOpen(part: CatalogPart): boolean {
  const { relaysTasks = true } = part.rules;
  return makesTasks(part) || (relaysTasks && declaresTasks(part.catalog.discover.capabilities));
}

function makesTasks({ catalog, rules }: CatalogPart): boolean {
  return rules.makesTasks === true && !declaresTasks(catalog.discover.capabilities);
}

function mergeTools(parts: readonly CatalogPart[], problems: CatalogProblem[]): Pick<Catalog, "tools" | "toolRoutes"> {
  const named = mergeNamed(
    parts,
    ({ catalog, rules }) => ({ items: catalog.tools, rule: rules.tools }),
    "tool",
    problems,
  );
  const rulesOf = new Map(parts.map(({ catalog, rules }) => [catalog.upstream, rules]));
  const canBeTasks = new Set(parts.filter(leavesTasksOpen).map(({ catalog }) => catalog.upstream));
  const toolRoutes = new Map<string, ToolRoute>();
  const tools: Tool[] = [];
  for (const tool of named.items) {
    const route = named.routes.get(tool.name) as Route;
    try {
      const paramHeaders = parseParamHeaders(tool.inputSchema);
      const taskSupport = taskSupportOf(tool);
      const extended = rulesOf.get(route.upstream)?.toOfferedTool?.(tool);
      toolRoutes.set(tool.name, {
        ...route,
        paramHeaders,
        isExtended: extended !== undefined,
        isIdempotent: tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true,
        taskSupport,
      });
      const offered = extended ?? tool;
      // For clients of 2025-11-25, which ask for tasks of tools that say so.
      const isOptional = taskSupport === undefined && canBeTasks.has(route.upstream);
      tools.push(isOptional ? withTaskSupport(offered, "optional") : offered);
    } catch (error) {
      const { upstream, name } = route;
      problems.push({ upstream, problem: `tool ${name} of ${upstream} is left out: ${(error as Error).message}` });
    }
  }
  return { tools, toolRoutes };
}

function mergeNamed<T extends { name: string; title?: string }>(
  parts: readonly CatalogPart[],
  select: (part: CatalogPart) => { items: readonly T[]; rule: NameRule },
  kind: string,
  problems: CatalogProblem[],
): { items: T[]; routes: Map<string, Route> } {
  const routes = new Map<string, Route>();
  const items: T[] = [];
  for (const part of parts) {
    const { items: own, rule } = select(part);
    const { upstream } = part.catalog;
    for (const item of own) {
      const offered = rule.offered(item.name);
      if (offered === undefined) continue;
      const name = toPublicName(part.rules.prefix, offered);
      const taken = routes.get(name);
      if (taken) {
        const why = `${name} is ${taken.name} of ${taken.upstream}`;
        problems.push({ upstream, problem: `${kind} ${item.name} of ${upstream} is left out: ${why}` });
        continue;
      }
      routes.set(name, { upstream, name: item.name });
      items.push({ ...item, name });
    }
  }
  return { items, routes };
}

// Answers with upstreams, as this replica sees them.
import { basePath } from "../../../edge/endpoints/endpoint.ts";
import { toRecent } from "../../observe/duration-counts.ts";
import type { GatewayView, UpstreamView } from "../../observe/gateway-view.ts";
import { ApiError, type ApiRequest } from "../api/api-request.ts";
import type { CatalogAnswer, CatalogItem, UpstreamDetail } from "../api/upstreams.ts";
import type { AdminSource } from "./admin-source.ts";

/** Bytes of definitions in one answer. */
const maxCatalogBytes = 4 * 1024 * 1024;
/** A usual estimate of the length of a token in JSON. */
const bytesPerToken = 4;

/** Undefined for an upstream that this replica does not have. */
export function toUpstreamDetail(source: AdminSource, name: string): UpstreamDetail | undefined {
  const { replica } = source;
  const view = source.view();
  const upstream = findUpstream(view, name);
  if (!upstream) return undefined;
  return {
    ...upstream,
    recent: toRecent(source.traffic.recent(name)),
    ...{ replica, replicas: [replica], unanswered: [] },
    endpoint: `${basePath}/${name}`,
    openSessions: view.sessions.flatMap((session) => (session.upstream === name ? [{ ...session, replica }] : [])),
    processes: source.processes.of(name).map((process) => ({ ...process, replica })),
    stderr: source.stderrOf(name),
  };
}

export function toCatalogAnswer(source: AdminSource, { path: { name = "" } }: ApiRequest): CatalogAnswer {
  const upstream = findUpstream(source.view(), name);
  if (!upstream) throw new ApiError(404, `no upstream ${name}`);
  const { problems } = upstream;
  const catalogs = source.catalogsOf(name);
  const publicTools = namesOf(catalogs?.merged.toolRoutes, name);
  const publicPrompts = namesOf(catalogs?.merged.promptRoutes, name);
  const budget = { bytes: maxCatalogBytes, omitted: 0 };
  const { tools = [], prompts = [], resources = [], templates = [] } = catalogs?.own ?? {};
  const listed = toItems(tools, ({ name: own }) => own, publicTools, budget);
  return {
    replica: source.replica,
    upstream: name,
    tools: listed,
    prompts: toItems(prompts, ({ name: own }) => own, publicPrompts, budget),
    resources: toItems(resources, ({ uri }) => uri, undefined, budget),
    templates: toItems(templates, ({ uriTemplate }) => uriTemplate, undefined, budget),
    toolTokens: listed.reduce((sum, { tokens }) => sum + tokens, 0),
    omitted: budget.omitted,
    problems,
  };
}

/** Whether this replica has the upstream that the request names. */
export function hasUpstream(source: AdminSource, { path: { name = "" } }: ApiRequest): boolean {
  return findUpstream(source.view(), name) !== undefined;
}

function findUpstream({ upstreams }: GatewayView, name: string): UpstreamView | undefined {
  return upstreams.find((candidate) => candidate.name === name);
}

/** The public names of an upstream's items, by its own names. */
function namesOf(
  routes: ReadonlyMap<string, { readonly upstream: string; readonly name: string }> | undefined,
  upstream: string,
): ReadonlyMap<string, string> {
  const own = [...(routes ?? [])].filter(([, route]) => route.upstream === upstream);
  return new Map(own.map(([publicName, { name }]) => [name, publicName]));
}

function toItems<Item extends object>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  publicNames: ReadonlyMap<string, string> | undefined,
  budget: { bytes: number; omitted: number },
): CatalogItem[] {
  return items.flatMap((definition) => {
    const bytes = Buffer.byteLength(JSON.stringify(definition));
    if (bytes > budget.bytes) {
      budget.omitted += 1;
      return [];
    }
    budget.bytes -= bytes;
    const name = nameOf(definition);
    const publicName = publicNames?.get(name);
    const tokens = Math.ceil(bytes / bytesPerToken);
    return [{ name, ...(publicName !== undefined && { publicName }), bytes, tokens, definition }];
  });
}

// The gateway's own Dispatch: lists come from the merged catalogue, everything else goes to the upstream that it names.
import {
  checkParamHeaders,
  type DiscoverResult,
  type Dispatch,
  type Exchange,
  invalidParams,
  isMcpError,
  type ModernRequest,
  metaKey,
  method,
  methodNotFound,
  modernRevisions,
  parseCallToolParams,
  parseCompleteParams,
  parseGetPromptParams,
  parsePageParams,
  parseReadResourceParams,
  type Result,
  resourceNotFound,
  withReadyText,
} from "@lethe/protocol";
import type { Catalog, Route } from "../catalog/merge-catalogs.ts";
import { gatewayInfo } from "../upstream/own-request.ts";

export interface MergedDispatchOptions {
  catalog(): Catalog;
  dispatchTo(upstream: string): Dispatch;
  listen: Dispatch;
  /** How long clients may keep a merged list, in ms. Default 0: upstreams of the old kind promise nothing. */
  listTtlMs?: number;
}

type Lists = Readonly<Record<string, Result>>;

export function createMergedDispatch(options: MergedDispatchOptions): Dispatch {
  const { catalog, dispatchTo, listen, listTtlMs = 0 } = options;
  const lists = createLists(listTtlMs);

  const forward = (
    route: Route,
    request: ModernRequest,
    params: Partial<ModernRequest["params"]>,
    exchange: Exchange,
  ) => dispatchTo(route.upstream)({ ...request, params: { ...request.params, ...params } }, exchange);

  const methods = new Map<string, Dispatch>([
    [method.listen, listen],
    [
      method.callTool,
      async (request, exchange) => {
        const { name, arguments: args } = parseCallToolParams(request.params);
        const route = catalog().toolRoutes.get(name);
        if (!route) throw invalidParams(`unknown tool: ${name}`);
        if (exchange.headers) checkParamHeaders(route.paramHeaders, args, exchange.headers);
        return forward(route, request, { name: route.name }, exchange);
      },
    ],
    [
      method.getPrompt,
      async (request, exchange) => {
        const { name } = parseGetPromptParams(request.params);
        const route = catalog().promptRoutes.get(name);
        if (!route) throw invalidParams(`unknown prompt: ${name}`);
        return forward(route, request, { name: route.name }, exchange);
      },
    ],
    [
      method.readResource,
      async (request, exchange) => {
        const { uri } = parseReadResourceParams(request.params);
        return readFromFirst(upstreamsOf(catalog(), uri), uri, (upstream) => dispatchTo(upstream)(request, exchange));
      },
    ],
    [
      method.complete,
      async (request, exchange) => {
        const { ref } = parseCompleteParams(request.params);
        const { promptRoutes, templateRoutes } = catalog();
        if (ref.type === "ref/prompt") {
          const route = promptRoutes.get(ref.name);
          if (!route) throw invalidParams(`unknown prompt: ${ref.name}`);
          return forward(route, request, { ref: { ...ref, name: route.name } }, exchange);
        }
        const route = templateRoutes.find(({ uriTemplate, matches }) => uriTemplate === ref.uri || matches(ref.uri));
        if (!route) throw resourceNotFound(ref.uri);
        return dispatchTo(route.upstream)(request, exchange);
      },
    ],
  ]);

  return async (request, exchange) => {
    const handle = methods.get(request.method);
    if (handle && isOffered(catalog(), request.method)) return handle(request, exchange);
    const list = lists(catalog())[request.method];
    if (!list) throw methodNotFound(request.method);
    if (request.method !== method.discover && parsePageParams(request.params).cursor !== undefined) {
      throw invalidParams("unknown cursor: the list has one page");
    }
    return list;
  };
}

/** The ready answers of one catalogue, serialised once for each version of it. */
function createLists(ttlMs: number): (catalog: Catalog) => Lists {
  const made = new WeakMap<Catalog, Lists>();
  const hints = {
    resultType: "complete",
    ttlMs,
    cacheScope: "private",
    _meta: { [metaKey.serverInfo]: gatewayInfo },
  } as const;
  return (catalog) => {
    let lists = made.get(catalog);
    if (!lists) {
      const { capabilities, tools, prompts, resources, templates } = catalog;
      const discover: DiscoverResult = { ...hints, supportedVersions: [...modernRevisions], capabilities };
      lists = {
        __proto__: null as never,
        [method.discover]: withReadyText<Result>(discover),
        ...(capabilities.tools && { [method.listTools]: withReadyText<Result>({ ...hints, tools }) }),
        ...(capabilities.prompts && { [method.listPrompts]: withReadyText<Result>({ ...hints, prompts }) }),
        ...(capabilities.resources && {
          [method.listResources]: withReadyText<Result>({ ...hints, resources }),
          [method.listResourceTemplates]: withReadyText<Result>({ ...hints, resourceTemplates: templates }),
        }),
      };
      made.set(catalog, lists);
    }
    return lists;
  };
}

/** E-4: a method is served exactly when its capability is advertised. */
function isOffered({ capabilities }: Catalog, name: string): boolean {
  if (name === method.callTool) return capabilities.tools !== undefined;
  if (name === method.getPrompt) return capabilities.prompts !== undefined;
  if (name === method.readResource) return capabilities.resources !== undefined;
  if (name === method.complete) return capabilities.completions !== undefined;
  return true;
}

/** A listed URI has one owner; any other may belong to whoever has a template that it fits. */
function upstreamsOf(catalog: Catalog, uri: string): string[] {
  const listed = catalog.resourceRoutes.get(uri);
  if (listed) return [listed.upstream];
  return [...new Set(catalog.templateRoutes.filter(({ matches }) => matches(uri)).map(({ upstream }) => upstream))];
}

/** The first upstream that knows the URI answers: "not found" means to ask the next one. */
async function readFromFirst(
  upstreams: string[],
  uri: string,
  read: (upstream: string) => Promise<Result>,
): Promise<Result> {
  for (const [index, upstream] of upstreams.entries()) {
    try {
      return await read(upstream);
    } catch (error) {
      if (!isMcpError(error) || error.code !== resourceNotFound(uri).code || index === upstreams.length - 1)
        throw error;
    }
  }
  throw resourceNotFound(uri);
}

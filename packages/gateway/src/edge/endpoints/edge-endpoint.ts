// The parts of an endpoint that the edge needs: its Dispatch, and the routes of its names.
import { type Caller, type Dispatch, type ModernRequest, method, methodInfo } from "@lethe/protocol";
import type { Servable } from "@lethe/server/edge";
import type { Catalog } from "../../catalog/merge-catalogs.ts";
import type { UriRoute } from "../../catalog/public-uris.ts";
import type { Locate } from "../policy/guard.ts";
import type { Policy } from "../policy/policy.ts";
import { ownersOfMethod } from "../routing/extension-methods.ts";
import type { UntilKnown } from "../routing/startup-window.ts";
import { candidatesOf } from "../routing/tool-route.ts";

export interface EdgeEndpoint {
  readonly path: string;
  readonly servable: Servable;
  /** Answers with the lists known now. The Dispatch of `servable` waits for starting upstreams. Default: that Dispatch. */
  readonly answer?: Dispatch;
  readonly untilKnown?: UntilKnown;
  readonly view: { readonly current: Catalog };
  /** Returns the lists for the extensions that the caller declares. Default: `view`. */
  viewFor?(request: ModernRequest, caller: Caller | undefined): { readonly current: Catalog };
  /** The upstream of an endpoint that has only one. */
  readonly upstream?: string | undefined;
  /** Access rules of this endpoint, in addition to those of the gateway. Default: none. */
  readonly policy?: Policy | undefined;
}

/** Locates names by the lists of the endpoint, as a request means them. */
export function createLocate(endpoint: EdgeEndpoint, request: ModernRequest, caller: Caller | undefined): Locate {
  const catalog = currentOf(endpoint, request, caller);
  return (kind, name) => {
    if (kind === "resource") return catalog.uris.ownersOf(name).map(toPlace);
    if (kind === "template") return catalog.uris.templateOwnersOf(name).map(toPlace);
    if (kind === "tool") {
      const meta = request.method === method.callTool ? request.params._meta : {};
      return candidatesOf(catalog, name, meta).map(({ route }) => route);
    }
    const route = catalog.promptRoutes.get(name);
    return route ? [route] : [];
  };
}

/** Returns the upstream of a method that the core does not define, if it can be for one only. */
export function ownerOfMethod(
  endpoint: EdgeEndpoint,
  request: ModernRequest,
  caller: Caller | undefined,
): string | undefined {
  if (endpoint.upstream !== undefined) return endpoint.upstream;
  const [owner, ...others] = ownersOfMethod(request.method, currentOf(endpoint, request, caller).offerings);
  return others.length === 0 ? owner : undefined;
}

function currentOf(endpoint: EdgeEndpoint, request: ModernRequest, caller: Caller | undefined): Catalog {
  return (endpoint.viewFor?.(request, caller) ?? endpoint.view).current;
}

/** Returns the upstream of a request, where the name alone determines it cheaply. */
export function upstreamOf(endpoint: EdgeEndpoint, requested: string, name: string | undefined): string | undefined {
  if (endpoint.upstream !== undefined || name === undefined) return endpoint.upstream;
  const { toolRoutes, promptRoutes, uris } = endpoint.view.current;
  const kind = methodInfo(requested)?.target?.kind;
  if (kind === "tool") return toolRoutes.get(name)?.upstream;
  if (kind === "prompt") return promptRoutes.get(name)?.upstream;
  return uris.ownersOf(name)[0]?.upstream;
}

function toPlace({ upstream, uri }: UriRoute): { upstream: string; name: string } {
  return { upstream, name: uri };
}

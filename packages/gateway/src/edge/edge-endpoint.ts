// What the front needs of an endpoint of the gateway: something to ask, and where its names lead.
import { type Dispatch, methodInfo } from "@lethe/protocol";
import type { Servable } from "@lethe/server/edge";
import type { Catalog } from "../catalog/merge-catalogs.ts";
import type { UriRoute } from "../catalog/public-uris.ts";
import type { Locate } from "./policy/guard.ts";
import type { UntilKnown } from "./routing/beginning.ts";

export interface EdgeEndpoint {
  readonly path: string;
  readonly servable: Servable;
  /** Answers with what is known now; the Dispatch of `servable` waits for upstreams that start. Default: that Dispatch. */
  readonly answer?: Dispatch;
  readonly untilKnown?: UntilKnown;
  readonly view: { readonly current: Catalog };
  /** Of an endpoint that has only one. */
  readonly upstream?: string | undefined;
}

/** By the lists of the endpoint. */
export function createLocate({ view }: EdgeEndpoint): Locate {
  return (kind, name) => {
    const catalog = view.current;
    if (kind === "resource") return catalog.uris.ownersOf(name).map(toPlace);
    if (kind === "template") return catalog.uris.templateOwnersOf(name).map(toPlace);
    const route = (kind === "tool" ? catalog.toolRoutes : catalog.promptRoutes).get(name);
    return route ? [route] : [];
  };
}

/** Where a request goes, as far as its name tells at little cost. */
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

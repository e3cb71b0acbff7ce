// The web-standard handler: from Request to Response, for Deno, Bun, Workers and whatever speaks fetch.
import { createHttpEdge } from "./edge.ts";
import { FetchCall } from "./fetch-call.ts";
import type { HttpOptions } from "./http-options.ts";
import type { ServableTarget } from "./servable.ts";

export type FetchHandler = (request: Request) => Promise<Response>;

/** Never rejects. A `Host` is checked only against `allowedHosts`: what address was connected to is unknown here. */
export function createFetchHandler(target: ServableTarget, options: HttpOptions = {}): FetchHandler {
  const edge = createHttpEdge(target, options);
  return (request) =>
    new Promise((resolve) => {
      new FetchCall(edge, { request, url: new URL(request.url), resolve }).begin();
    });
}

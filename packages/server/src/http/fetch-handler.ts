// The web-standard handler, from Request to Response, for Deno, Bun, Workers and every other platform with fetch.
import { checkOptions } from "@lethe/protocol";
import { checkRequest } from "./check-request.ts";
import { FetchIo } from "./fetch-io.ts";
import { createHttpEdge } from "./http-edge.ts";
import { type HttpOptions, knownHttpOptions } from "./http-options.ts";
import { requireServable, type ServableTarget } from "./servable.ts";

/** Answers an HTTP request. The promise never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Creates a function from Request to Response that serves one server, or several by path. The promise never rejects. The handler does
 * not know the address of the connection, so it checks `Host` only if `allowedHosts` is set.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { createFetchHandler } from "@lethe/server/edge";
 *
 * const handler = createFetchHandler(createServer({ name: "hello", version: "1.0.0" }));
 * const response = await handler(new Request("http://localhost/mcp", { method: "DELETE" }));
 * console.log(response.ok); // false
 */
export function createFetchHandler(target: ServableTarget, options: HttpOptions = {}): FetchHandler {
  checkOptions("createFetchHandler", options, knownHttpOptions);
  requireServable("createFetchHandler", target);
  const edge = createHttpEdge(target, options);
  return (request) =>
    new Promise((resolve) => {
      checkRequest(new FetchIo(edge, request, resolve).call, edge.guard);
    });
}

// Routes: HTTP paths that lead to no server, for health checks, metrics and operator interfaces.
import type { Sender } from "../auth/sender.ts";
import type { HttpAnswer } from "./answers.ts";

export interface RouteRequest extends Sender {
  readonly verb: string;
  /** Path and query. */
  readonly url: string;
  /** The connection comes from this machine, directly or through a local proxy. */
  readonly isLoopback: boolean;
}

export interface Route {
  /** Skips the checks of `Host` and `Origin`, as health checks require. Default false. */
  readonly isPublic?: boolean;
  /** Answers the request without reading its body. A rejection answers 500, and `onError` gets the error. */
  respond(request: RouteRequest): HttpAnswer | Promise<HttpAnswer>;
}

export type RouteLookup = (path: string) => Route | undefined;

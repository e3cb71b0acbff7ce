// What is served beside the servers, at paths that lead to none of them: health, metrics, an interface for operators.
import type { Sender } from "../auth/sender.ts";
import type { HttpAnswer } from "./answers.ts";

export interface RouteRequest extends Sender {
  readonly verb: string;
  /** Path and query. */
  readonly url: string;
  /** Came over a loopback connection: from this machine, or through a proxy on it. */
  readonly isLoopback: boolean;
}

export interface Route {
  /** Served under every `Host` and to every `Origin`, as a health check has to be. */
  readonly isPublic?: boolean;
  /** The body of the request is not read. A rejection answers 500 and goes to `onError`. */
  respond(request: RouteRequest): HttpAnswer | Promise<HttpAnswer>;
}

export type RouteLookup = (path: string) => Route | undefined;

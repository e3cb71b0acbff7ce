// Routes: HTTP paths that lead to no server, for health checks, metrics and operator interfaces.
import type { Sender } from "../auth/sender.ts";
import type { HttpAnswer } from "./answers.ts";

/** The request that a route answers, without its body. */
export interface RouteRequest extends Sender {
  readonly verb: string;
  /** Path and query. */
  readonly url: string;
  /** The connection comes from this machine, directly or through a local proxy. */
  readonly isLoopback: boolean;
}

/** The event stream that a route has begun. The server sends a comment when it was silent for `keepAliveMs`. */
export interface RouteStream {
  /** Bytes written that the client has not read yet. */
  readonly bufferedBytes: number;
  /** Writes complete events. */
  send(text: string): void;
  /** Resolves when the client has read enough for more, or has left. */
  drained(): Promise<void>;
  /** Calls back when the client leaves. */
  onAbort(callback: () => void): void;
  end(): void;
}

/** Answers with an event stream, if the limits of the server allow for one more. */
export interface StreamedAnswer {
  /** Called when the stream has begun. */
  stream(stream: RouteStream): void;
}

/** Answers when the body of the request has arrived. The limits of MCP requests apply to it, and it must be JSON. */
export interface BodyAnswer {
  /** Receives the text of the body. A rejection answers 500, and `onError` gets the error. */
  receive(text: string): Promise<HttpAnswer>;
}

/** Answers HTTP requests of one path that are not MCP, such as a health check. */
export interface Route {
  /** Skips the checks of `Host` and `Origin`, as health checks require. Default false. */
  readonly isPublic?: boolean;
  /** Answers the request, or asks for its body. A rejection answers 500, and `onError` gets the error. */
  respond(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

export type RouteAnswer = HttpAnswer | StreamedAnswer | BodyAnswer;

/** Returns the route of a path, or undefined if the path has none. */
export type RouteLookup = (path: string) => Route | undefined;

// The interface between an HTTP connection of any era and authorization: headers before a request, a decision after 401 or 403.
import type { HeaderReader } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";

/** Header values by lower-case name. */
export type AuthorizationHeaders = Readonly<Record<string, string>>;

/** One request and all its attempts. Each attempt passes the same object. */
export interface OutgoingRequest {
  /** The address of the request. Other origins than the server's get no token. */
  readonly url: URL;
  /** The HTTP method. */
  readonly method: string;
  /** Cancels this request's wait. An authorization that other requests wait for continues. */
  readonly signal?: CancelSignal | undefined;
}

/** A response with status 401 or 403. */
export interface Refusal {
  /** The request that the server refused. */
  readonly request: OutgoingRequest;
  /** The headers that `authorize` returned for this attempt. */
  readonly sent: AuthorizationHeaders;
  /** 401 or 403. */
  readonly status: number;
  /** Returns the value of a response header by lower-case name. */
  readonly headers: HeaderReader;
  /** The operation, such as "tools/call add". A failed request for more scopes is remembered under this name. */
  readonly operation: string;
}

/** Adds tokens to the requests of a connection and renews them. Created by `createAuthorizer`. */
export interface Authorizer {
  /** Header values by lower-case name. Returns a promise only if something must be fetched or signed: every request calls it. */
  authorize(request: OutgoingRequest): AuthorizationHeaders | Promise<AuthorizationHeaders>;
  /** Returns "retry" if a new token is available, or "report" if the response stands. Throws AuthorizationError. */
  onUnauthorized(refusal: Refusal): Promise<"retry" | "report">;
  /** Receives the headers of every response: any of them may contain the next DPoP nonce. */
  onAnswer?(headers: HeaderReader): void;
}

// The seam between an HTTP connection, of any era, and what gets it in: headers before a request, a decision after 401 or 403.
import type { HeaderReader } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";

export type AuthorizationHeaders = Readonly<Record<string, string>>;

/** One request through all its attempts: the same object each time. */
export interface OutgoingRequest {
  readonly url: URL;
  /** The HTTP method. */
  readonly method: string;
  /** Ends the waiting, not an authorization that others wait for too. */
  readonly signal?: CancelSignal | undefined;
}

/** An answer with status 401 or 403. */
export interface Refusal {
  readonly request: OutgoingRequest;
  /** What `authorize` gave for this attempt. */
  readonly sent: AuthorizationHeaders;
  readonly status: number;
  readonly headers: HeaderReader;
  /** What was asked for, such as "tools/call add": a step-up that failed is remembered for it (G-45). */
  readonly operation: string;
}

export interface Authorizer {
  /** By lower-case name. No promise while nothing has to be asked or signed: this is on the path of each request. */
  authorize(request: OutgoingRequest): AuthorizationHeaders | Promise<AuthorizationHeaders>;
  /** "retry": there is something new to send. "report": the answer stands as it is. Throws AuthorizationError. */
  onUnauthorized(refusal: Refusal): Promise<"retry" | "report">;
  /** Told the headers of every answer: a server may hand out the next DPoP nonce with any of them. */
  onAnswer?(headers: HeaderReader): void;
}

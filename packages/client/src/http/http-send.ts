// The seam between the client and what carries its HTTP requests: fetch in any runtime, node:http in Node.
import type { HeaderReader, MemoryBudget } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";
import type { LoopShare } from "../call/loop-share.ts";

export interface HttpRequest {
  readonly url: URL;
  readonly method: "POST" | "GET" | "DELETE";
  /** By lower-case name. `host` and `content-length` are the sender's business. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Breaks off the request, or the reading of its answer, on the wire (B-72). */
  readonly signal?: CancelSignal | undefined;
}

/** An answer whose head has come. Its body must be read to the end or discarded, or a socket stays open. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderReader;
  /** The whole body. Throws TransportError "too_large" past `maxBytes`, or when the budget has no room for it. */
  text(maxBytes: number, memory?: MemoryBudget): Promise<string>;
  /**
   * The body as it comes, cut anywhere but inside a character. What the sender itself does to read it counts for `share`, if it can
   * tell.
   */
  chunks(share?: LoopShare): AsyncIterator<string, undefined>;
  /** Gives the rest of the body up. A sender may read what is left of a short one, to use its connection again. */
  discard(): void;
}

/**
 * Sends one request and follows no redirect. Rejects with the signal's reason when that was aborted, else with whatever
 * the platform throws; `toTransportError` makes one error out of those.
 */
export type HttpSend = (request: HttpRequest) => Promise<HttpAnswer>;

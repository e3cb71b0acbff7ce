// The interface between the client and its HTTP implementation: fetch in any runtime, undici in Node.
import type { HeaderReader, MemoryBudget } from "@lethe/protocol";
import type { CancelSignal } from "../call/cancel-signal.ts";
import type { LoopShare } from "../call/loop-share.ts";

/** One HTTP request of a client. */
export interface HttpRequest {
  /** The address, with its query. */
  readonly url: URL;
  /** The HTTP method. */
  readonly method: "POST" | "GET" | "DELETE";
  /** Values by lower-case name. The implementation sets `host` and `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text. Absent for GET and DELETE. */
  readonly body?: string;
  /** Aborts the request, or reading its response, on the wire. */
  readonly signal?: CancelSignal | undefined;
  /** The response is an event stream that lasts: it must not keep other requests waiting for a connection. Default: it is not. */
  readonly isLasting?: boolean;
}

/** A response whose head has arrived. Its body must be read to the end or discarded, or a socket stays open. */
export interface HttpAnswer {
  /** The HTTP status. A redirect that the platform hides is reported as 307. */
  readonly status: number;
  /** Returns the value of a header by lower-case name, undefined if it is absent. */
  readonly headers: HeaderReader;
  /** The whole body. Throws TransportError "too_large" above `maxBytes`, or if the memory budget is exhausted. */
  text(maxBytes: number, memory?: MemoryBudget): Promise<string>;
  /**
   * The body in chunks, split anywhere except inside a character. If possible, the time that the sender spends reading
   * counts against `share`.
   */
  chunks(share?: LoopShare): AsyncIterator<string, undefined>;
  /** Discards the rest of the body. An implementation may read a short rest to reuse its connection. */
  discard(): void;
}

/**
 * Sends one request and follows no redirect. Rejects with the signal's reason after an abort, else with the platform's
 * error; `toTransportError` converts those.
 */
export type HttpSend = (request: HttpRequest) => Promise<HttpAnswer>;

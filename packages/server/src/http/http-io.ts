// The platform's side of one HTTP request: how to read it, write its response and notice that the client left.
// NodeIo implements it over node:http, FetchIo over Request and Response.
import type { HttpAnswer } from "./answers.ts";

/** A client that leaves fewer bytes unread is not slow: this much fits into the buffers on the way. */
export const slowBytes: number = 64 * 1024;

export interface HttpIo {
  readonly verb: string;
  /** Path and query. */
  readonly url: string;
  /** The other end of the connection. Undefined where the platform does not know it. */
  readonly remoteAddress: string | undefined;
  /** The address that the limits per address count for: the client's, as far as proxies reveal it. */
  readonly clientAddress: string | undefined;
  /** The client closed the connection, or other code already responds. */
  readonly isGone: boolean;
  /** Bytes written that the client has not taken yet. */
  readonly bufferedBytes: number;
  /** `name` is in lower case. */
  header(name: string): string | undefined;

  /** The request starts to wait for its caller. From here on, a closed connection ends it where the platform notices. */
  awaitCaller(): void;
  /** Ends in `receiveBody` or `receiveParsedBody`, or answers the call. */
  readBody(): void;
  /** Calls `abort` of the call when the client closes the connection early. Called at most once. */
  watchConnection(): void;
  /** The request starts to run, or sends something: its idle timeout starts again. */
  touch(): void;

  sendAnswer(answer: HttpAnswer): void;
  openStream(headers: Readonly<Record<string, string>>): void;
  /** Returns false when the client reads more slowly than the server writes. */
  write(text: string): boolean;
  closeStream(lastText: string): void;
  /** Another worker of this program has answered the request. */
  answeredBy?(worker: number): void;
  /** Resolves when the client has read enough for more, or has left. */
  drained(): Promise<void>;
  /** Aborts the request and closes its connection, at any time. */
  cutOff(): void;
  /** The request is over: stops its timers and listeners. */
  release(): void;
}

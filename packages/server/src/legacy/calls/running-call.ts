// One running call of a legacy session. A cancellation by the client ends it; a lost connection does not (D-27, J-50).
import { type Caller, type Exchange, errorCode, type JsonRpcNotification, McpError } from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { OpenCall } from "../sessions/session.ts";
import type { SessionFacts } from "../sessions/session-facts.ts";
import type { Peer } from "../shared/legacy-context.ts";

/** Where a call sends the messages that precede its response: the stream of its POST, or a connection. */
export interface MessageSink {
  /** False if the client reads only one response. */
  readonly canRequestInput: boolean;
  /** Sends a notification, or drops it if the client is much too slow. Returns false when the client reads too slowly. */
  notify(text: string): boolean;
  /** Sends an input request. Never drops it. */
  send(text: string): void;
  drained(): Promise<void>;
  /** As in Exchange. */
  answeredBy?(worker: number): void;
  /** Ends this HTTP response before the result. The client reconnects for the rest. */
  disconnect?(): void;
}

const cancelled = new DOMException("the request was cancelled", "AbortError");

export class RunningCall implements Exchange, OpenCall {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly conversation: string | undefined;
  readonly sink: MessageSink;
  /** Answered or cancelled: nothing more is sent for this call. */
  isEnded = false;
  /** The core returned a `requestState`, which this edge keeps: legacy clients never see one. */
  keepsState = false;
  /** Why the server aborted the call. */
  failure: Error | undefined = undefined;
  readonly #revision: Revision;
  /** Most calls have at most one, which needs no Set. */
  #stop: (() => void) | undefined = undefined;
  #moreStops: Set<() => void> | undefined = undefined;
  #controller: AbortController | undefined = undefined;

  constructor({ id, revision, isStateless }: SessionFacts, sink: MessageSink, { caller, isAnonymous }: Peer) {
    this.#revision = revision;
    this.conversation = isStateless ? undefined : id;
    this.sink = sink;
    this.caller = caller;
    this.isAnonymous = isAnonymous;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.isEnded) this.#controller.abort(cancelled);
    }
    return this.#controller.signal;
  }

  onAbort(callback: () => void): void {
    if (this.isEnded) callback();
    else if (!this.#stop) this.#stop = callback;
    else {
      this.#moreStops ??= new Set();
      this.#moreStops.add(callback);
    }
  }

  /** Like `onAbort`. Returns a function that removes the callback. */
  onStop(callback: () => void): () => void {
    this.onAbort(callback);
    return () => {
      if (this.#stop === callback) this.#stop = undefined;
      else this.#moreStops?.delete(callback);
    };
  }

  notify(notification: JsonRpcNotification): boolean {
    if (this.isEnded) return true;
    return this.sink.notify(JSON.stringify(this.#revision.toClientNotification(notification)));
  }

  drained(): Promise<void> {
    return this.isEnded ? Promise.resolve() : this.sink.drained();
  }

  answeredBy(worker: number): void {
    this.sink.answeredBy?.(worker);
  }

  disconnect(): void {
    if (!this.isEnded) this.sink.disconnect?.();
  }

  /** The call has its response. Code that still refers to the call can no longer send anything. */
  finish(): void {
    this.isEnded = true;
    this.#stop = undefined;
    this.#moreStops = undefined;
  }

  cancel(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#abort();
  }

  /** Stops the work, and answers with the failure. */
  fail(failure: Error): void {
    if (this.isEnded) return;
    this.failure = failure;
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(cancelled);
    const first = this.#stop;
    const more = this.#moreStops ?? [];
    this.#stop = undefined;
    this.#moreStops = undefined;
    first?.();
    for (const stop of more) stop();
  }
}

/** The error of a call that fails for a reason other than the tool. */
export function internalError(message: string): McpError {
  return new McpError(errorCode.internalError, message);
}

// One running call of a legacy session. A lost connection does not end it, only the client's own word does (D-27, J-50).
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { Peer } from "../sessions/peer.ts";
import type { SessionFacts } from "../sessions/session-token.ts";
import type { MessageSink } from "./message-sink.ts";

const cancelled = new DOMException("the request was cancelled", "AbortError");

export class RunningCall implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly conversation: string | undefined;
  readonly sink: MessageSink;
  /** Answered or cancelled: nothing more is sent for it. */
  isEnded = false;
  /** Set for rounds whose state the core gave to this edge: older clients never see one. */
  keepsState = false;
  /** Why it was given up from this side. */
  failure: Error | undefined = undefined;
  readonly #revision: Revision;
  /** Most have one, so that it takes no Set. */
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

  /** Like `onAbort`; returns how to take it back. */
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

  disconnect(): void {
    if (!this.isEnded) this.sink.disconnect?.();
  }

  /** It has its answer: whoever still holds it cannot send any more. */
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

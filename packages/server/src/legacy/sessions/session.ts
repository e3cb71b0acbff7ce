// One legacy session in this process: its running calls, their input requests, and its streams. The facts of the session are in
// its id, and its state is in the store, so this object can be dropped whenever the session is idle.
import {
  errorCode,
  isResponse,
  McpError,
  notificationMethod,
  OpenMap,
  type RequestId,
  tooManyRequests,
} from "@lethe/protocol";
import type { ClientMessage } from "../shared/client-message-relay.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";
import { PendingInputRequests } from "./pending-input-requests.ts";
import type { SessionFacts } from "./session-facts.ts";

/** A call that runs in a session. */
export interface OpenCall {
  finish(): void;
  cancel(): void;
}

/** A stream of the session. */
export interface SessionStream {
  /** The session has ended, or the server shuts down. */
  end(): void;
  stateChanged?(state: SessionState): void;
  /** Calls back when this stream sends the notifications that the session subscribes to, or never will. */
  whenStarted?(callback: () => void): void;
}

const retryAfterMs = 1_000;

export class LegacySession {
  readonly facts: SessionFacts;
  /** The stream that sends change notifications. */
  changeStream: SessionStream | undefined = undefined;
  readonly #context: LegacyContext;
  readonly #calls = new OpenMap<OpenCall>();
  // Made on demand: most sessions need none of these, and the cache holds thousands of sessions.
  #streams: Set<SessionStream> | undefined = undefined;
  #inputRequests: PendingInputRequests | undefined = undefined;
  #unsubscribe: (() => void) | undefined = undefined;

  constructor(facts: SessionFacts, context: LegacyContext) {
    this.facts = facts;
    this.#context = context;
  }

  /** Nothing is lost when the object is dropped. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && this.streamCount === 0;
  }

  get streamCount(): number {
    return this.#streams?.size ?? 0;
  }

  isRunning(id: unknown): boolean {
    return this.#calls.get(id) !== undefined;
  }

  /** Adds a running call, which must be removed by `finish`. Throws McpError if its id is in use or too many calls run. */
  begin(id: RequestId, call: OpenCall): void {
    const { maxRequestsPerSession } = this.#context.settings;
    if (this.#calls.get(id)) throw new McpError(errorCode.invalidRequest, "a request with this id is still running");
    if (this.#calls.size >= maxRequestsPerSession) {
      throw tooManyRequests(`at most ${maxRequestsPerSession} requests at a time`, retryAfterMs);
    }
    this.#calls.add(id, call);
    this.#subscribe();
  }

  finish(id: RequestId, call: OpenCall): void {
    call.finish();
    this.#calls.take(id);
    this.#unsubscribeIfIdle();
  }

  /** Handles the response to an input request, or the cancellation of a call. Ignores every other message. */
  receiveClientMessage(message: ClientMessage): void {
    if (isResponse(message)) this.#inputRequests?.receiveResponse(message);
    else if (message.method === notificationMethod.cancelled) this.#calls.get(message.params?.requestId)?.cancel();
  }

  get inputRequests(): PendingInputRequests {
    this.#inputRequests ??= new PendingInputRequests(this.#context.settings);
    return this.#inputRequests;
  }

  /** Keeps the session alive until the returned function is called. */
  attach(stream: SessionStream): () => void {
    this.#streams ??= new Set();
    this.#streams.add(stream);
    this.#subscribe();
    return () => {
      if (this.#streams?.delete(stream)) this.#unsubscribeIfIdle();
    };
  }

  /** Cancels all calls and ends all streams. */
  end(): void {
    for (const call of this.#calls.values) call.cancel();
    this.endStreams();
  }

  endStreams(): void {
    for (const stream of this.#streams ?? []) stream.end();
  }

  /** While the session is in use here, other processes forward its client messages and state changes. */
  #subscribe(): void {
    if (this.#unsubscribe) return;
    const { clientMessages, store } = this.#context.settings;
    const stopListening = clientMessages.listen(this.facts.id, (message) => this.receiveClientMessage(message));
    const stopWatching = store.watch(this.facts.id, (state) => this.#stateChanged(state));
    this.#unsubscribe = () => {
      stopListening();
      stopWatching();
    };
  }

  #unsubscribeIfIdle(): void {
    if (!this.isIdle) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #stateChanged(state: SessionState): void {
    if (state.isTerminated) this.end();
    else for (const stream of this.#streams ?? []) stream.stateChanged?.(state);
  }
}

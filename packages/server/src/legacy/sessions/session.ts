// One legacy session in this process: its running calls, the questions that they ask, and its streams. What never changes
// is in the session's id and what changes is in the store, so that this object may be dropped whenever nothing runs.
import {
  errorCode,
  isResponse,
  McpError,
  notificationMethod,
  OpenMap,
  type RequestId,
  tooManyRequests,
} from "@lethe/protocol";
import { LiveQuestions, type Round } from "../calls/elicitation.ts";
import type { RunningCall } from "../calls/running-call.ts";
import type { LegacyContext } from "../legacy-context.ts";
import type { ClientMessage } from "./answer-exchange.ts";
import type { SessionState } from "./session-store.ts";
import type { SessionFacts } from "./session-token.ts";

/** Something of the session that lasts: a stream, or what feeds it. */
export interface Lasting {
  /** The session has ended, or the server shuts down. */
  end(): void;
  stateChanged?(state: SessionState): void;
  /** Calls back when what the session subscribes to is told here, or never will be. */
  whenBegun?(callback: () => void): void;
}

const retryAfterMs = 1_000;

export class LegacySession {
  readonly facts: SessionFacts;
  /** The one stream that tells of changes. */
  standing: Lasting | undefined = undefined;
  readonly #context: LegacyContext;
  readonly #calls = new OpenMap<RunningCall>();
  // Most sessions never have any of these, and thousands are kept at hand.
  #lasting: Set<Lasting> | undefined = undefined;
  #questions: LiveQuestions | undefined = undefined;
  #sleep: (() => void) | undefined = undefined;

  constructor(facts: SessionFacts, context: LegacyContext) {
    this.facts = facts;
    this.#context = context;
  }

  /** Nothing here would be missed. */
  get isIdle(): boolean {
    return this.#calls.size === 0 && this.streamCount === 0;
  }

  get streamCount(): number {
    return this.#lasting?.size ?? 0;
  }

  isRunning(id: unknown): boolean {
    return this.#calls.get(id) !== undefined;
  }

  /** Every run that begins is finished. Throws McpError when no more may run. */
  begin(id: RequestId, run: RunningCall): void {
    const { maxRequestsPerSession } = this.#context.settings;
    if (this.#calls.get(id)) throw new McpError(errorCode.invalidRequest, "a request with this id is still running");
    if (this.#calls.size >= maxRequestsPerSession) {
      throw tooManyRequests(`at most ${maxRequestsPerSession} requests at a time`, retryAfterMs);
    }
    this.#calls.add(id, run);
    this.#wake();
  }

  finish(id: RequestId, run: RunningCall): void {
    run.finish();
    this.#calls.take(id);
    this.#rest();
  }

  /** A response to a question, or the end of a call. Anything else is ignored. */
  hear(word: ClientMessage): void {
    if (isResponse(word)) this.#questions?.hear(word);
    else if (word.method === notificationMethod.cancelled) this.#calls.get(word.params?.requestId)?.cancel();
  }

  beginRound(run: RunningCall): Round {
    return this.#asking.beginRound(run);
  }

  /** The client will not answer any more, though it may still read. */
  closeQuestions(): void {
    this.#asking.close();
  }

  get #asking(): LiveQuestions {
    this.#questions ??= new LiveQuestions(this.#context.settings);
    return this.#questions;
  }

  /** Returns how to let it go. */
  hold(lasting: Lasting): () => void {
    this.#lasting ??= new Set();
    this.#lasting.add(lasting);
    this.#wake();
    return () => {
      if (this.#lasting?.delete(lasting)) this.#rest();
    };
  }

  /** Cancels what runs and ends what lasts. */
  end(): void {
    for (const run of this.#calls.values) run.cancel();
    this.endStreams();
  }

  endStreams(): void {
    for (const lasting of this.#lasting ?? []) lasting.end();
  }

  /** While something runs here, other processes hand over what concerns it. */
  #wake(): void {
    if (this.#sleep) return;
    const { answers, store } = this.#context.settings;
    const stopHearing = answers.listen(this.facts.id, (word) => this.hear(word));
    const stopWatching = store.watch(this.facts.id, (state) => this.#stateChanged(state));
    this.#sleep = () => {
      stopHearing();
      stopWatching();
    };
  }

  #rest(): void {
    if (!this.isIdle) return;
    this.#sleep?.();
    this.#sleep = undefined;
  }

  #stateChanged(state: SessionState): void {
    if (state.isTerminated) this.end();
    else for (const lasting of this.#lasting ?? []) lasting.stateChanged?.(state);
  }
}

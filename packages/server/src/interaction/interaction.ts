// Implements `ctx.elicit`, `ctx.sample`, `ctx.roots` (E.11, E.12) and `ctx.once` (E-31) for one run of a handler.
import {
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  checkOptions,
  type JsonObject,
  nameOf,
  type Root,
} from "@lethe/protocol";
import type { Answer, ElicitInput } from "../features/answer.ts";
import type { Callback, CallbackOptions } from "../features/callback.ts";
import {
  type ElicitAnswer,
  type InputRequestOptions,
  knownInputRequestOptions,
  type OnceStep,
} from "../features/context.ts";
import { type Duration, toMs } from "../features/duration.ts";
import type { Schema } from "../features/schema.ts";
import { Callbacks } from "./callbacks.ts";
import { HandlerRun } from "./handler-run.ts";
import type { HandlerRunOptions } from "./handler-run-options.ts";
import { InputDeclined } from "./input-declined.ts";
import {
  formRequest,
  rootsRequest,
  samplingRequest,
  type TypedInputRequest,
  type UrlAnswer,
  urlRequest,
} from "./input-request.ts";
import { InteractionError } from "./interaction-error.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { checkNeeds, needsOf } from "./needs.ts";
import { OnceSteps } from "./once-steps.ts";
import { quiet } from "./quiet.ts";
import { readRawResponses } from "./raw-input.ts";
import { createReplay, type Replay } from "./replay.ts";
import type { RunEnd } from "./run-end.ts";
import { Sleeps } from "./sleeps.ts";
import { derive } from "./step-promise.ts";

export interface InteractionRunOptions {
  /** Of this request. */
  capabilities: ClientCapabilities;
  journal: Journal | undefined;
  /** `inputResponses` as it came. */
  responses: JsonObject | undefined;
  replayGraceMs: number;
  digestOfText: (text: string) => Promise<string>;
  onWarning: (warning: string) => void;
  home?: HandlerRunOptions["home"];
  maxSleepMs: number;
  /** Waits in this process. */
  pauseFor: (ms: number) => Promise<void>;
  /** The same for all repetitions of this round. Undefined for a first round. */
  roundId?: string | undefined;
}

export function createInteraction(options: InteractionRunOptions): Interaction {
  return new Interaction(options);
}

/**
 * Lives as long as one run: call `end()`. Its promises reject with Suspension when the round ends
 * without a response.
 */
export class Interaction {
  /** The `state` of `inputRequired` in the previous round. */
  readonly state: JsonObject | undefined;
  /** Valid responses to the requests of `inputRequired`. */
  readonly inputResponses: JsonObject | undefined;
  /** The number of earlier rounds of this call. */
  readonly round: number;
  /** The version of the handler that wrote the journal. */
  readonly startedVersion: string | undefined;
  readonly #capabilities: ClientCapabilities;
  readonly #replay: Replay;
  readonly #steps: OnceSteps;
  readonly #run: HandlerRun;
  readonly #earlierSeed: string | undefined;
  readonly #home: HandlerRunOptions["home"];
  #callbacks: Callbacks | undefined;

  constructor({ capabilities, journal, responses, roundId, maxSleepMs, pauseFor, ...options }: InteractionRunOptions) {
    this.state = journal?.state;
    this.inputResponses = journal && readRawResponses(journal, responses);
    this.round = journal?.round ?? 0;
    this.startedVersion = journal?.version;
    this.#capabilities = capabilities;
    this.#replay = createReplay(journal, responses);
    this.#earlierSeed = journal?.seed;
    this.#home = options.home;
    this.#steps = new OnceSteps(options.home, journal?.seed ?? roundId);
    const sleeps = new Sleeps({ home: options.home, maxSleepMs, pauseFor });
    this.#run = new HandlerRun({ replay: this.#replay, steps: this.#steps, sleeps, ...options });
  }

  elicit<const S extends ElicitInput>(message: string, schema: S, options?: InputRequestOptions): Promise<Answer<S>> {
    return derive(this.tryElicit(message, schema, options), acceptedContent);
  }

  tryElicit<const S extends ElicitInput>(
    message: string,
    schema: S,
    options?: InputRequestOptions,
  ): Promise<ElicitAnswer<S>> {
    return this.#ask(() => formRequest(message, schema), options);
  }

  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void> {
    return derive(this.tryElicitUrl(message, url, options), ({ action }) => {
      if (action !== "accept") throw new InputDeclined(action);
    });
  }

  tryElicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<UrlAnswer> {
    return this.#ask(() => urlRequest(message, url), options);
  }

  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult> {
    return this.#ask(() => samplingRequest(params), options);
  }

  roots(options?: InputRequestOptions): Promise<Root[]> {
    return this.#ask(rootsRequest, options);
  }

  once<T>(key: string, compute: (step: OnceStep) => T | Promise<T>): Promise<T> {
    if (typeof key === "string" && typeof compute === "function") return this.#run.once(key, compute);
    const given = `${nameOf(key)} and ${nameOf(compute)}`;
    return quiet(
      Promise.reject(new InteractionError(`ctx.once: a key (a string) and a function expected, got ${given}`)),
    );
  }

  now(): Promise<Date> {
    return derive(
      this.#run.once(undefined, () => new Date().toISOString()),
      (text) => new Date(text),
    );
  }

  uuid(): Promise<string> {
    return this.#run.once(undefined, () => globalThis.crypto.randomUUID());
  }

  sleep(duration: Duration): Promise<void> {
    try {
      return this.#run.sleep(toMs(duration));
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  callback(options: CallbackOptions<Schema>): Promise<Callback> {
    try {
      this.#callbacks ??= new Callbacks(this.#run, this.#home);
      return this.#callbacks.create(options);
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }

  end(): Promise<RunEnd> {
    return this.#run.end();
  }

  /** Whether this run may have had an effect that no earlier run had. */
  get hasNews(): boolean {
    return this.#run.hasNews || this.inputResponses !== undefined || this.state !== undefined;
  }

  /** The common part of the idempotency keys of all steps. Undefined before the first step of the call. */
  get seed(): string | undefined {
    return this.#steps.seed ?? this.#earlierSeed;
  }

  /** The journal for the next round. */
  entries(): readonly JournalEntry[] {
    return this.#replay.entries();
  }

  #ask<T>(build: () => TypedInputRequest<T>, options: InputRequestOptions | undefined): Promise<T> {
    try {
      checkOptions("input request", options, knownInputRequestOptions);
      const inputRequest = build();
      checkNeeds(needsOf(inputRequest.request), this.#capabilities);
      return this.#run.ask(inputRequest, options?.key);
    } catch (error) {
      return quiet(Promise.reject(error));
    }
  }
}

function acceptedContent<S>(answer: ElicitAnswer<S>): Answer<S> {
  if (answer.action !== "accept") throw new InputDeclined(answer.action);
  return answer.content;
}

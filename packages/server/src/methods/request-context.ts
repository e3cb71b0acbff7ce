// The Context of one running request. Creating it is one allocation; everything else is created on use.
import {
  type Caller,
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  clientCapabilitiesOf,
  clientInfoOf,
  type Exchange,
  type Implementation,
  isAtLeast,
  isInputMethod,
  type JsonObject,
  type LogLevel,
  type ModernRequest,
  metaKey,
  type RequestMeta,
  type Root,
  type TraceContext,
  toLogNotification,
  toProgress,
  traceContextOf,
} from "@lethe/protocol";
import type { Answer, ElicitInput } from "../features/answer.ts";
import type { Callback, CallbackBody, CallbackOptions } from "../features/callback.ts";
import type { Context, ElicitAnswer, InputRequestOptions, OnceStep } from "../features/context.ts";
import type { Duration } from "../features/duration.ts";
import type { Feature } from "../features/feature.ts";
import type { NotifyingExtension } from "../features/notifying-extension.ts";
import type { Schema } from "../features/schema.ts";
import type { HandlerFingerprint } from "../interaction/handler-fingerprint.ts";
import type { UrlAnswer } from "../interaction/input-request.ts";
import type { Interaction } from "../interaction/interaction.ts";
import { type InteractionHost, interactionOf, type OpenedRound } from "../interaction/run-with-interaction.ts";
import type { InteractionSettings } from "../interaction/settings.ts";
import { CallSessions } from "../session/call-sessions.ts";
import type { OpenSession } from "../session/open-session.ts";
import type { SessionDefinition } from "../session/session.ts";
import { sendNotification } from "./send-notification.ts";
import type { HandlerParts } from "./server-parts.ts";

export class RequestContext implements Context, InteractionHost {
  readonly request: ModernRequest;
  interaction: Interaction | undefined;
  openedRound: OpenedRound | undefined;
  /** Set for a tool with sessions. */
  sessions: CallSessions | undefined;
  readonly #parts: HandlerParts;
  readonly #exchange: Exchange;
  readonly #feature: Feature | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #isPeerSlow = false;

  /** `feature` is the feature whose handler runs; a raw method has none. */
  constructor(parts: HandlerParts, request: ModernRequest, exchange: Exchange, feature: Feature | undefined) {
    this.request = request;
    this.interaction = undefined;
    this.openedRound = undefined;
    this.sessions = undefined;
    this.#parts = parts;
    this.#exchange = exchange;
    this.#feature = feature;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get caller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get keepsState(): boolean {
    return this.#exchange.keepsState === true;
  }

  get client(): { info: Implementation | undefined; capabilities: ClientCapabilities } {
    return { info: clientInfoOf(this.request), capabilities: clientCapabilitiesOf(this.request) };
  }

  get meta(): RequestMeta {
    return this.request.params._meta;
  }

  get trace(): TraceContext {
    return traceContextOf(this.meta);
  }

  get inputResponses(): JsonObject | undefined {
    return this.interaction?.inputResponses;
  }

  get state(): JsonObject | undefined {
    return this.interaction?.state;
  }

  get interactionSettings(): InteractionSettings {
    return this.#parts.interaction;
  }

  get handlerMark(): HandlerFingerprint | undefined {
    return this.#feature && this.#parts.fingerprintOf(this.#feature);
  }

  progress(done: number, total?: number, message?: string): void {
    const token = this.meta.progressToken;
    if (typeof token !== "string" && typeof token !== "number") return;
    if (!Number.isFinite(done) || done <= this.#lastProgress || this.#isPeerSlow) return;
    this.#lastProgress = done;
    const said = {
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message }),
    };
    if (!this.#exchange.notify(toProgress(token, { progress: done, ...said }))) this.#waitForPeer();
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const threshold = this.meta[metaKey.logLevel] as LogLevel | undefined;
    if (threshold === undefined || !isAtLeast(level, threshold) || !this.#parts.hasLogging) return;
    this.#exchange.notify(toLogNotification({ level, data: data ?? null, ...(logger !== undefined && { logger }) }));
  }

  notify<Notifications extends object, Name extends keyof Notifications & string>(
    extension: NotifyingExtension<Notifications>,
    name: Name,
    params: Notifications[Name],
  ): void {
    sendNotification(extension, { request: this.request, exchange: this.#exchange }, name, params);
  }

  elicit<const S extends ElicitInput>(message: string, schema: S, options?: InputRequestOptions): Promise<Answer<S>> {
    return this.#asking().elicit(message, schema, options);
  }

  tryElicit<const S extends ElicitInput>(
    message: string,
    schema: S,
    options?: InputRequestOptions,
  ): Promise<ElicitAnswer<S>> {
    return this.#asking().tryElicit(message, schema, options);
  }

  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void> {
    return this.#asking().elicitUrl(message, url, options);
  }

  tryElicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<UrlAnswer> {
    return this.#asking().tryElicitUrl(message, url, options);
  }

  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult> {
    return this.#asking().sample(params, options);
  }

  roots(options?: InputRequestOptions): Promise<Root[]> {
    return this.#asking().roots(options);
  }

  once<T>(key: string, fn: (step: OnceStep) => T | Promise<T>): Promise<T> {
    return this.#asking().once(key, fn);
  }

  session<State, Stored>(session: SessionDefinition<State, Stored>): Promise<OpenSession<State, Stored>> {
    if (!this.sessions) throw new Error(`a tool that opens a session lists it in its option "sessions"`);
    return this.sessions.open(session) as Promise<unknown> as Promise<OpenSession<State, Stored>>;
  }

  /** The sessions that a tool of this request may open. */
  declareSessions(declared: readonly SessionDefinition[]): CallSessions {
    const args = this.request.params.arguments as JsonObject | undefined;
    const call = {
      caller: this.caller,
      argument: (name: string) => (args && Object.hasOwn(args, name) ? args[name] : undefined),
      once: (key: string, value: number) => this.once(key, () => value),
    };
    this.sessions = new CallSessions(this.#parts.sessions, call, declared);
    return this.sessions;
  }

  sleep(duration: Duration): Promise<void> {
    return this.#asking().sleep(duration);
  }

  callback<S extends Schema | undefined = undefined>(
    options: CallbackOptions<S & Schema> = {},
  ): Promise<Callback<CallbackBody<S>>> {
    return this.#asking().callback(options) as Promise<Callback<CallbackBody<S>>>;
  }

  now(): Promise<Date> {
    return this.#asking().now();
  }

  uuid(): Promise<string> {
    return this.#asking().uuid();
  }

  pauseFor(ms: number): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.#parts.clock.after(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** E-20 */
  #asking(): Interaction {
    if (!isInputMethod(this.request.method)) throw new Error(`${this.request.method} cannot request input`);
    return interactionOf(this);
  }

  /** Progress is dropped until then, because a later value replaces it. */
  #waitForPeer(): void {
    this.#isPeerSlow = true;
    void this.#exchange.drained().then(() => {
      this.#isPeerSlow = false;
    });
  }
}

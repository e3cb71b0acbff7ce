// What a handler knows about the request that it answers, and what it may do besides returning.
import type {
  Caller,
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  Implementation,
  JsonObject,
  LogLevel,
  ModernRequest,
  RequestMeta,
  Root,
  TraceContext,
} from "@lethe/protocol";
import type { Answer, ElicitInput } from "./answer.ts";

/** `info` is what the client calls itself: for display and logs, never for a decision. */
export interface ClientView {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

export interface InputRequestOptions {
  /**
   * Names the question across the rounds of a request. Without it, a question is told by what it says, and equal ones by
   * their order.
   */
  readonly key?: string;
}

export type ElicitAnswer<S> =
  | { readonly action: "accept"; readonly content: Answer<S> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

export interface Context {
  /** Aborted when the caller goes away or cancels. */
  readonly signal: AbortSignal;
  /** Who authenticated; undefined when authorization is off. */
  readonly caller: Caller | undefined;
  readonly client: ClientView;
  readonly meta: RequestMeta;
  readonly trace: TraceContext;
  readonly request: ModernRequest;

  /** Does nothing when the client gave no progress token, and drops a value that does not increase (E-35). */
  progress(done: number, total?: number, message?: string): void;
  /** Does nothing unless the client asked for messages of this level (E-40). No secrets: the client may keep them. */
  log(level: LogLevel, data: unknown, logger?: string): void;

  /** Answers to the questions that `inputRequired` asked; one that does not fit its question is left out (E-29). */
  readonly inputResponses: JsonObject | undefined;
  /** What `inputRequired({ state })` held in the round before. */
  readonly state: JsonObject | undefined;

  /**
   * The accepted content; throws InputDeclined when the user declines or cancels. A round ends with the questions that
   * are open when the handler can do no more, and the next one runs it again from the top: it has to ask the same again.
   * Questions are asked at once with Promise.all. A branch that nobody awaits yet may be suspended, but when it throws,
   * declined questions included, its rejection is unhandled as anywhere.
   */
  elicit<const S extends ElicitInput>(message: string, schema: S, options?: InputRequestOptions): Promise<Answer<S>>;
  tryElicit<const S extends ElicitInput>(
    message: string,
    schema: S,
    options?: InputRequestOptions,
  ): Promise<ElicitAnswer<S>>;
  /** Resolves when the user agreed to open the URL, which says nothing about what happened there (E-90). */
  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void>;
  tryElicitUrl(
    message: string,
    url: string,
    options?: InputRequestOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult>;
  roots(options?: InputRequestOptions): Promise<Root[]>;
  /**
   * Runs `fn` in one round only: later rounds of the same request get the value back. It has to be JSON. What throws is
   * not remembered. `fn` cannot ask. A client that sends one round twice makes it run twice.
   */
  once<T>(key: string, fn: () => T | Promise<T>): Promise<T>;
  /** The time of the first round that asked. */
  now(): Promise<Date>;
  /** Made in the first round that asked. */
  uuid(): Promise<string>;
}

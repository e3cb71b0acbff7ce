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
import type { Answer, ElicitInput } from "./schema.ts";

/** `info` is what the client calls itself: for display and logs, never for a decision. */
export interface ClientView {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

export interface AskOptions {
  /** Names the question across the rounds of a request. Needed only when the same question may be asked in any order. */
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

  /** The answers of a retry as they came, by key: hostile until checked (E-29). */
  readonly inputResponses: JsonObject | undefined;
  /** What `inputRequired({ state })` held in the round before. */
  readonly state: JsonObject | undefined;

  /** The accepted content; throws InputDeclined when the user declines or cancels. */
  elicit<S extends ElicitInput>(message: string, schema: S, options?: AskOptions): Promise<Answer<S>>;
  tryElicit<S extends ElicitInput>(message: string, schema: S, options?: AskOptions): Promise<ElicitAnswer<S>>;
  /** Resolves when the user agreed to open the URL, which says nothing about what happened there (E-90). */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<void>;
  tryElicitUrl(
    message: string,
    url: string,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  sample(params: CreateMessageParams, options?: AskOptions): Promise<CreateMessageResult>;
  roots(options?: AskOptions): Promise<Root[]>;
  /** Runs `fn` in one round only: later rounds of the same request get the value back. It has to be JSON. */
  once<T>(key: string, fn: () => T | Promise<T>): Promise<T>;
  /** The time of the first round that asked. */
  now(): Promise<Date>;
  /** Made in the first round that asked. */
  uuid(): Promise<string>;
}

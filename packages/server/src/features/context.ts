// The context of a handler: the request, notifications, and input requests.
import type {
  Caller,
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  Implementation,
  JsonObject,
  KnownOptions,
  LogLevel,
  ModernRequest,
  RequestMeta,
  Root,
  TraceContext,
} from "@lethe/protocol";
import type { OpenSession } from "../session/open-session.ts";
import type { SessionDefinition } from "../session/session.ts";
import type { Answer, ElicitInput } from "./answer.ts";
import type { Callback, CallbackBody, CallbackOptions } from "./callback.ts";
import type { Duration } from "./duration.ts";
import type { NotifyingExtension } from "./notifying-extension.ts";
import type { Schema } from "./schema.ts";

/** `info` is the client's own name: for display and logs, never for a decision. */
export interface ClientView {
  /** The name and version that the client declares. Undefined if it declares none. */
  readonly info: Implementation | undefined;
  /** The capabilities that the client declares with the request. */
  readonly capabilities: ClientCapabilities;
}

/** Options of input requests such as `ctx.elicit`. */
export interface InputRequestOptions {
  /**
   * Identifies the request across the rounds of a call. Default: the content of the request, and the order of equal
   * ones.
   */
  readonly key?: string;
}

export const knownInputRequestOptions: KnownOptions<InputRequestOptions> = { key: true };

/** The answer of `tryElicit`: the accepted content, or that the user declined or canceled. */
export type ElicitAnswer<S> =
  | { readonly action: "accept"; readonly content: Answer<S> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** One attempt of a step under `ctx.once`. */
export interface OnceStep {
  /** The same in every attempt of this step of this call. If its first round is repeated, that is another call. */
  readonly idempotencyKey: string;
  /** Increases each time another process acquires the task. 0 for a call that is no task. */
  readonly fence: number;
}

/** The second argument of every handler: the request and its caller, notifications, and input requests to the client. */
export interface Context {
  /** Aborted when the caller goes away or cancels. */
  readonly signal: AbortSignal;
  /** The authenticated caller; undefined without authentication. */
  readonly caller: Caller | undefined;
  /** The client of the request. */
  readonly client: ClientView;
  /** The `_meta` of the request. */
  readonly meta: RequestMeta;
  /** The W3C trace context of the request. */
  readonly trace: TraceContext;
  /** The whole request. */
  readonly request: ModernRequest;

  /** Sends progress if the client gave a progress token. Drops a value that does not increase. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Sends a log message if the client requested this level. Do not log secrets: the client may store them.
   *
   * @deprecated Revision 2026-07-28 deprecates logging. Write to stderr or OpenTelemetry, and use `progress` for what a user watches.
   */
  log(level: LogLevel, data: unknown, logger?: string): void;

  /**
   * Sends a notification of an extension that the server uses, before the result of the request. Drops it if the client does not declare
   * the extension, reads too slowly, or has the result already, as in a task. Throws an Error for a name that the extension does not list.
   *
   * @example
   * import { createServer } from "@lethe/server";
   * import type { ServerExtension } from "@lethe/server/extensions";
   *
   * const steps: ServerExtension<{ "com.example/steps.done": { step: string } }> = {
   *   id: "com.example/steps",
   *   notifications: ["com.example/steps.done"],
   * };
   * const server = createServer({ name: "hello", version: "1.0.0" }).use(steps);
   * server.tool("bake", {
   *   handler(_args, ctx) {
   *     ctx.notify(steps, "com.example/steps.done", { step: "kneaded" });
   *     return "baked";
   *   },
   * });
   */
  notify<Notifications extends object, Name extends keyof Notifications & string>(
    extension: NotifyingExtension<Notifications>,
    name: Name,
    params: Notifications[Name],
  ): void;

  /** The valid responses to the requests of `inputRequired`. */
  readonly inputResponses: JsonObject | undefined;
  /** The `state` of `inputRequired` in the previous round. */
  readonly state: JsonObject | undefined;

  /**
   * Requests form input and returns the accepted content; throws InputDeclined if the user declines or cancels. A round ends
   * when the handler waits only for input, and the next round runs the handler again: it must repeat the same requests.
   * Promise.all sends several requests in one round. A branch without await may be suspended, but if it throws,
   * InputDeclined included, its rejection is unhandled.
   */
  elicit<const S extends ElicitInput>(message: string, schema: S, options?: InputRequestOptions): Promise<Answer<S>>;
  /** Like `elicit`, but returns the answer of the user instead of throwing InputDeclined. */
  tryElicit<const S extends ElicitInput>(
    message: string,
    schema: S,
    options?: InputRequestOptions,
  ): Promise<ElicitAnswer<S>>;
  /** URL elicitation. Resolves when the user agreed to open the URL; what happens there is unknown. */
  elicitUrl(message: string, url: string, options?: InputRequestOptions): Promise<void>;
  /** Like `elicitUrl`, but returns the answer of the user instead of throwing InputDeclined. */
  tryElicitUrl(
    message: string,
    url: string,
    options?: InputRequestOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  /**
   * Lets the client sample its model. Needs the client capability `sampling`.
   *
   * @deprecated Revision 2026-07-28 deprecates sampling. Call a model provider from the server.
   */
  sample(params: CreateMessageParams, options?: InputRequestOptions): Promise<CreateMessageResult>;
  /**
   * Returns the root folders of the client. Needs the client capability `roots`.
   *
   * @deprecated Revision 2026-07-28 deprecates roots. Take paths as arguments, or from the configuration of the server.
   */
  roots(options?: InputRequestOptions): Promise<Root[]>;
  /**
   * Runs `fn` in one round only: later rounds of the call get the same value, which must be JSON. Errors are
   * not stored. `fn` cannot request input. Without single-use protection, a repeated round runs `fn` again.
   *
   * If the process of a task dies before the value is stored, another process runs `fn` again. Pass `step.idempotencyKey` to a service that
   * recognises repeated requests, or `step.fence` to one that rejects writes with an earlier number.
   */
  once<T>(key: string, fn: (step: OnceStep) => T | Promise<T>): Promise<T>;
  /**
   * Opens a session that the tool lists in `sessions`: state that the next call finds, in whichever process it runs. Rejects with a ToolError
   * for a handle that is invalid, has expired or belongs to another caller.
   */
  session<State, Stored>(session: SessionDefinition<State, Stored>): Promise<OpenSession<State, Stored>>;
  /**
   * Resolves after a duration: a number of ms, or a text such as "30 s", "90m" or "2 days".
   *
   * A task leaves its process for a sleep of more than a second: nothing of it stays in memory, and any process continues it when the
   * sleep is over, by the clock of the store. As after an input request, its handler runs again from the top. The time asleep extends the
   * time to live. `tasks.maxSleepMs` limits all sleeps of a task together, by default to 30 days. A sleep does not end the wait for an input
   * request that is made at the same time: both pass together.
   *
   * A call that is no task sleeps in this process, for at most `interaction.maxSleepMs`, by default 10 s. A longer sleep rejects.
   */
  sleep(duration: Duration): Promise<void>;
  /**
   * Creates a URL that somebody else calls to continue this task: `received()` waits for a POST to it, in any process. Rejects in a call
   * that is no task, and without the server option `callbackUrl`.
   */
  callback<S extends Schema | undefined = undefined>(
    options?: CallbackOptions<S & Schema>,
  ): Promise<Callback<CallbackBody<S>>>;
  /** The time of the first call, the same in all rounds. */
  now(): Promise<Date>;
  /** A UUID, the same in all rounds. */
  uuid(): Promise<string>;
}

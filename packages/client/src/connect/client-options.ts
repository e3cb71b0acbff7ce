// Options of a client and of each call.
import type {
  ClientCapabilities,
  CreateValidator,
  Implementation,
  InputParams,
  KnownOptions,
  LogLevel,
  LogMessage,
  Middleware,
  Progress,
  StandardSchema,
} from "@lethe/protocol";
import type { ResponseCache } from "../cache/response-cache.ts";
import { knownTraceHeaders, type TraceHeaders } from "../call/build-request.ts";
import type { TimeLimits } from "../call/deadline.ts";
import { type Handlers, knownHandlers } from "../interaction/handlers.ts";
import { knownRoundLimits, type RoundLimits } from "../interaction/run-rounds.ts";
import type { SubscriptionsOptions } from "../subscriptions/merged-subscriptions.ts";
import { type FollowOptions, knownFollowOptions } from "../tasks/create-tasks.ts";
import { knownTaskOptions, type TaskOptions } from "../tasks/task-options.ts";
import type { ClientExtension } from "./client-extension.ts";

/** Options of a client over any transport. */
export interface ClientOptions extends Handlers {
  /** The client's identity; false to stay anonymous. Default: the name and version of this package. */
  info?: Implementation | false;
  /** Capabilities beyond those that follow from the handlers: extensions, experiments, `sampling.tools`. */
  capabilities?: ClientCapabilities;
  /** Extensions of the protocol, each with an id of its own. The client declares them, and `client.extension` returns their calls. Default: none. */
  extensions?: readonly ClientExtension[];
  /** Limits on the rounds in which a server asks for input before it answers. */
  rounds?: RoundLimits;
  /** A cache shared with other clients, the options of an own one, or false for none. Default: an own cache. */
  cache?: ResponseCache | false;
  /** For a shared cache: names the authorization of this client. Clients with another name never get its private results. Default: not shared. */
  cachePartition?: string;
  /** Limits of subscriptions: acknowledgement 30,000 ms, backoff from 500 to 30,000 ms, 1,000 subscriptions by default. */
  subscriptions?: Pick<SubscriptionsOptions, "ackTimeoutMs" | "minDelayMs" | "maxDelayMs" | "maxSubscribers">;
  /**
   * Declares the tasks extension, so that a server may answer a tool call with a task, which the client follows to its
   * end. False does not declare it. Default true.
   */
  tasks?: TaskOptions | boolean;
  /** Wraps every request. The first middleware is the outermost. */
  middleware?: readonly Middleware[];
  /**
   * Validates tool results against their output schemas. The client then lists the tools on the first call. This package
   * contains no validator. Default: results are not validated.
   */
  createValidator?: CreateValidator;
  /** Receives warnings about faults that the client could work around. Default `console.warn`. */
  onWarning?: (message: string) => void;
}

export const knownClientOptions: KnownOptions<ClientOptions> = {
  ...knownHandlers,
  info: true,
  capabilities: true,
  extensions: "an array?",
  rounds: knownRoundLimits,
  cache: true,
  cachePartition: true,
  subscriptions: { ackTimeoutMs: true, minDelayMs: true, maxDelayMs: true, maxSubscribers: true },
  tasks: knownTaskOptions,
  middleware: true,
  createValidator: true,
  onWarning: true,
};

/** Options of one call. */
export interface CallOptions extends Partial<TimeLimits> {
  /** Cancels the call, at the server as well. */
  signal?: AbortSignal;
  /** Receives the progress notifications of the call. Default: progress is not requested. */
  onProgress?: (progress: Progress) => void;
  /**
   * Receives the log messages of the call. Default: log messages are not requested.
   *
   * @deprecated Revision 2026-07-28 deprecates logging: servers write to stderr or OpenTelemetry. `onProgress` receives what a user watches.
   */
  onLog?: (message: LogMessage) => void;
  /**
   * The least severe level of log messages that `onLog` receives. Default "info".
   *
   * @deprecated Revision 2026-07-28 deprecates logging, see `onLog`.
   */
  logLevel?: LogLevel;
  /** W3C trace context of the span that the call belongs to. */
  trace?: TraceHeaders;
  /** Further members of `_meta`. */
  meta?: { [key: string]: unknown };
}

const knownCallOptions: KnownOptions<CallOptions> = {
  signal: true,
  onProgress: true,
  onLog: true,
  logLevel: true,
  trace: knownTraceHeaders,
  meta: true,
  timeoutMs: true,
  maxTotalMs: true,
};

/** Options of a call that may be answered by input requests. */
export interface InteractiveOptions extends CallOptions {
  /** True returns input requests and tasks to the caller, which calls again with `input`, or follows the task with `client.task`. */
  manual?: boolean;
  /** The answers to a call's input requests, and the server's unchanged `requestState`. */
  input?: InputParams;
}

const knownInteractiveOptions: KnownOptions<InteractiveOptions> = {
  ...knownCallOptions,
  manual: true,
  input: true,
};

/** Options of a tool call. */
export interface ToolCallOptions extends InteractiveOptions, FollowOptions {
  /**
   * Requests a task where a server of 2025-11-25 lets its client choose; `ttlMs` is the requested lifetime of the task.
   * Servers of 2026-07-28 decide by themselves.
   */
  task?: boolean | { ttlMs?: number };
}

const knownToolCallOptions: KnownOptions<ToolCallOptions> = {
  ...knownInteractiveOptions,
  ...knownFollowOptions,
  task: { ttlMs: true },
};

/** All options of a request, for any method. */
export type SendOptions = ToolCallOptions & { output?: StandardSchema };

export const knownSendOptions: KnownOptions<SendOptions> = { ...knownToolCallOptions, output: true };

// What a client can be told when it connects, and with each call.
import type {
  ClientCapabilities,
  CreateValidator,
  Implementation,
  InputParams,
  LogLevel,
  LogMessage,
  Middleware,
  Progress,
} from "@lethe/protocol";
import type { ResponseCache } from "../cache/response-cache.ts";
import type { TraceHeaders } from "../call/build-request.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { Handlers } from "../interaction/handlers.ts";
import type { RoundLimits } from "../interaction/run-rounds.ts";
import type { SubscriptionsOptions } from "../subscriptions/create-subscriptions.ts";
import type { FollowOptions } from "../tasks/create-tasks.ts";
import type { TaskOptions } from "../tasks/task-options.ts";

/** How a client behaves, whatever it is connected by. */
export interface ClientOptions extends Handlers {
  /** What the client says it is; false to stay anonymous. Default: the name and version of this package. */
  info?: Implementation | false;
  /** In addition to what the handlers show: extensions, experiments, `sampling.tools`. */
  capabilities?: ClientCapabilities;
  /** Bounds of the rounds in which a server asks before it answers. */
  rounds?: RoundLimits;
  /** Shared with other clients, of this size, or none at all. Default: one of its own. */
  cache?: ResponseCache | false;
  /** For a shared cache: names the authorization that this client acts under (E-53). Default: shared with nobody. */
  cachePartition?: string;
  subscriptions?: Pick<SubscriptionsOptions, "ackTimeoutMs" | "minDelayMs" | "maxDelayMs" | "maxSubscribers">;
  /**
   * A server may answer the call of a tool with a task (F-2), which is then followed to its end. False does not declare
   * the extension, so that no server does.
   */
  tasks?: TaskOptions | boolean;
  /** Around every request; the first is the outermost. */
  middleware?: readonly Middleware[];
  /**
   * Holds what tools answer against their output schemas (E-69); the tools are then listed when one is first called. This
   * package has no validator of its own. Default: nothing is checked.
   */
  createValidator?: CreateValidator;
  /** Told of what was wrong but could be mended. Default `console.warn`. */
  onWarning?: (message: string) => void;
}

/** What one call can be told. */
export interface CallOptions extends Partial<TimeLimits> {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onLog?: (message: LogMessage) => void;
  /** The least severe message that `onLog` wants. Default "info". */
  logLevel?: LogLevel;
  trace?: TraceHeaders;
  /** More members for `_meta`. */
  meta?: { [key: string]: unknown };
}

/** A call that may be answered by a question (E-20). */
export interface InteractiveOptions extends CallOptions {
  /** True hands questions and tasks to the caller, who calls again with `input`, and finds the task by `client.task`. */
  manual?: boolean;
  /** The answers, and the server's state untouched, of a call that was answered by a question (E-24). */
  input?: InputParams;
}

export interface ToolCallOptions extends InteractiveOptions, FollowOptions {
  /**
   * Wishes for a task where a server of 2025-11-25 leaves the choice to its client (D-38); `ttlMs` is how long it is to be
   * kept. Servers of today decide by themselves.
   */
  task?: boolean | { ttlMs?: number };
}

/** All that a request of a client can be told; which method it is for does not matter any more. */
export type SendOptions = CallOptions & Pick<ToolCallOptions, "task" | "manual">;

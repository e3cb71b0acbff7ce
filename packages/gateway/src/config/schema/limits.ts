// The blocks of numbers in the gateway block: limits of requests, connections, pending calls, tasks and lists, and pauses.
import {
  defaultLimits,
  defaultListLimits,
  defaultPendingCalls,
  defaultRestart,
  defaultShutdown,
  defaultTasks,
} from "./defaults.ts";
import type {
  LimitSettings,
  PendingCallSettings,
  RestartSettings,
  ShutdownSettings,
  TaskSettings,
} from "./settings.ts";
import { milliseconds, optional, section, type Value, whole } from "./values.ts";

const count = whole(1);

export const limitSettings: Value<LimitSettings> = section({
  requestsPerMinute: optional(
    count,
    "Requests of one caller per minute. More get 429 with Retry-After. Default: no limit.",
    { examples: [600] },
  ),
  maxReceivingRequests: optional(count, "Requests that are authenticating or whose body is arriving, at a time.", {
    default: defaultLimits.maxReceivingRequests,
  }),
  maxReceivingPerCaller: optional(
    count,
    "The same for one caller. More get 429 with Retry-After. Default: as many as are free, so at most half.",
    { examples: [500] },
  ),
  maxReceivingPerAddress: optional(
    count,
    "The same for one client address, before or without authentication. Default: four times as many as are free.",
    { examples: [800] },
  ),
  maxConcurrentRequests: optional(count, "Running requests of all callers.", {
    default: defaultLimits.maxConcurrentRequests,
  }),
  maxConcurrentPerCaller: optional(
    count,
    "Running requests of one caller. More get 429 with Retry-After. Default: as many as are free, so at most half of `maxConcurrentRequests`.",
    { examples: [500] },
  ),
  maxConcurrentPerAddress: optional(
    count,
    "The same for one client address, without `auth`. Default: four times as many as are free.",
    { examples: [800] },
  ),
  maxStreams: optional(count, "Open subscriptions and GET streams of all callers.", {
    default: defaultLimits.maxStreams,
  }),
  maxStreamsPerCaller: optional(
    count,
    "Open streams of one caller. Default: as many as are free, so at most half of `maxStreams`.",
    { examples: [5_000] },
  ),
  maxStreamsPerAddress: optional(
    count,
    "The same for one client address, without `auth`. Default: four times as many as are free.",
    { examples: [8_000] },
  ),
  maxBodyBytes: optional(count, "The size of one request body, in bytes.", { default: defaultLimits.maxBodyBytes }),
  bodyTimeoutMs: optional(milliseconds(1), "How long a request body may take to arrive, in ms.", {
    default: defaultLimits.bodyTimeoutMs,
  }),
  requestTimeoutMs: optional(
    milliseconds(0),
    "How long a request may take without a result or notification, in ms. 0 for no limit.",
    { default: defaultLimits.requestTimeoutMs },
  ),
  maxConnections: optional(count, "Open connections. More are closed at once.", {
    default: defaultLimits.maxConnections,
  }),
  headerTimeoutMs: optional(milliseconds(1), "How long the head of a request may take to arrive, in ms.", {
    default: defaultLimits.headerTimeoutMs,
  }),
  idleTimeoutMs: optional(milliseconds(1), "How long a connection without a request stays open, in ms.", {
    default: defaultLimits.idleTimeoutMs,
  }),
  maxHeaderBytes: optional(whole(1_024), "The size of a request's head, in bytes.", {
    default: defaultLimits.maxHeaderBytes,
  }),
  maxHeldBytes: optional(
    whole(1_048_576),
    "The hard mark of the memory budget, in bytes. Default: an eighth of V8's heap limit.",
    { examples: [536_870_912] },
  ),
  maxWatchedPerCaller: optional(count, "Resources that one caller subscribes to, each counted once per subscription.", {
    default: defaultLimits.maxWatchedPerCaller,
  }),
  maxTools: optional(count, "Tools kept per upstream.", { default: defaultListLimits.maxTools }),
  maxPrompts: optional(count, "Prompts kept per upstream.", { default: defaultListLimits.maxPrompts }),
  maxResources: optional(count, "Resources kept per upstream.", { default: defaultListLimits.maxResources }),
  maxTemplates: optional(count, "Resource templates kept per upstream.", { default: defaultListLimits.maxTemplates }),
}).meta({
  id: "LimitSettings",
  description:
    "Limits of requests, streams, connections and lists. Those ending in `PerCaller` apply to each authenticated caller, those ending in `PerAddress` to each client address, and all others to the gateway.",
});

export const pendingCallSettings: Value<PendingCallSettings> = section({
  ttlMs: optional(milliseconds(1), "How long a call waits for the answer of its caller, in ms.", {
    default: defaultPendingCalls.ttlMs,
  }),
  max: optional(count, "Waiting calls of all callers. The gateway cancels more at the upstream.", {
    default: defaultPendingCalls.max,
  }),
  maxPerCaller: optional(count, "Waiting calls of one caller.", { default: defaultPendingCalls.maxPerCaller }),
}).meta({ id: "PendingCallSettings", description: "Limits of calls that wait for the input of their caller." });

export const restartSettings: Value<RestartSettings> = section({
  firstMs: optional(milliseconds(1), "The delay before the first restart, in ms. It doubles with each failure.", {
    default: defaultRestart.firstMs,
  }),
  maxMs: optional(milliseconds(1), "The longest delay, in ms.", { default: defaultRestart.maxMs }),
  maxFailures: optional(
    count,
    "The number of consecutive failures after which callers get an error at once instead of waiting.",
    { default: defaultRestart.maxFailures },
  ),
}).meta({ id: "RestartSettings", description: "The back-off and circuit breaker of failing upstreams." });

export const taskSettings: Value<TaskSettings> = section({
  afterMs: optional(milliseconds(0), "How long a call runs before it becomes a task, in ms.", {
    default: defaultTasks.afterMs,
  }),
  ttlMs: optional(milliseconds(1), "The lifetime of a task from its creation, in ms.", { default: defaultTasks.ttlMs }),
  max: optional(count, "Tasks of all callers.", { default: defaultTasks.max }),
  maxPerCaller: optional(count, "Tasks of one caller.", { default: defaultTasks.maxPerCaller }),
}).meta({ id: "TaskSettings", description: "Limits of tasks that the gateway creates from calls." });

export const shutdownSettings: Value<ShutdownSettings> = section({
  graceMs: optional(milliseconds(0), "How long running requests may take to finish after SIGTERM, in ms.", {
    default: defaultShutdown.graceMs,
  }),
  delayMs: optional(
    milliseconds(0),
    "How long the gateway serves requests after it reports that it is not ready, in ms, until load balancers have noticed.",
    { default: defaultShutdown.delayMs },
  ),
}).meta({ id: "ShutdownSettings", description: "Times of a graceful shutdown." });

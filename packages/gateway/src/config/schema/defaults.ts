// Defaults of settings: the schema describes them, and the code that reads a setting applies them.

import { type ServingDefaults, servingDefaults } from "@lethe/server/edge";

/** Other limits derive from `maxConcurrentRequests`: one caller gets half of it, and one session all of it. */
export const defaultLimits: ServingDefaults & { readonly maxWatchedPerCaller: number } = {
  ...servingDefaults,
  maxWatchedPerCaller: 1_000,
};

/** The limits of the lists of one upstream. */
export const defaultListLimits = {
  maxTools: 5_000,
  maxPrompts: 5_000,
  maxResources: 10_000,
  maxTemplates: 1_000,
} as const;

/** The limits of the sessions of one upstream, and of waiting for a session, a start or a turn. */
export const defaultSessions = {
  max: 64,
  maxPerCaller: 8,
  maxShared: 1,
  idleMs: 900_000,
  lifetimeMs: 86_400_000,
  waitMs: 10_000,
  turnWaitMs: 60_000,
  maxWaiting: 1_000,
} as const;

/** Times of one upstream. */
export const defaultUpstream = { startTimeoutMs: 60_000, timeoutMs: 600_000 } as const;

/** The back-off and the circuit breaker of an upstream that fails. */
export const defaultRestart = { firstMs: 500, maxMs: 30_000, maxFailures: 5 } as const;

/** A gateway has many callers. */
export const defaultPendingCalls = { ttlMs: 600_000, max: 1_000, maxPerCaller: 100 } as const;

export const defaultTasks = { afterMs: 1_000, ttlMs: 3_600_000, max: 10_000, maxPerCaller: 1_000 } as const;

export const defaultShutdown = { graceMs: 10_000, delayMs: 0 } as const;

/** Where the gateway listens. */
export const defaultAddress = { host: "127.0.0.1", port: 3_000 } as const;

export const defaultExchanges = 2_000;

export const defaultTelemetry = {
  serviceName: "lethe-gateway",
  metricIntervalMs: 60_000,
  timeoutMs: 10_000,
  flushMs: 5_000,
} as const;

// The entry point @lethe/server/middleware: ready middleware for `server.use(…)`.

export type { Dispatch, Exchange, Middleware, ModernRequest } from "@lethe/protocol";
export { type AccessLine, type AccessLogOptions, accessLog } from "./middleware/access-log.ts";
export { type ConcurrencyLimitOptions, concurrencyLimit } from "./middleware/concurrency-limit.ts";
export { type RateLimitOptions, rateLimit } from "./middleware/rate-limit.ts";
export { taskMetrics } from "./middleware/task-metrics.ts";
export { type TelemetryOptions, telemetry } from "./middleware/telemetry.ts";
export { type TimeoutOptions, timeout } from "./middleware/timeout.ts";

// The settings that apply from the start of the process until its end.
import type { ServeOptions } from "@lethe/server/node";
import { startAfterMs } from "../config/response-timing.ts";
import { defaultLimits } from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";

export function toHttpOptions({
  host,
  port,
  allowedHosts,
  allowedOrigins,
  trustProxy,
  keepAliveMs,
  limits = {},
}: GatewaySettings): ServeOptions {
  const {
    maxConcurrentRequests = defaultLimits.maxConcurrentRequests,
    maxStreams = defaultLimits.maxStreams,
    // The gateway enforces these limits itself.
    requestsPerMinute: _requestsPerMinute,
    maxWatchedPerCaller: _maxWatchedPerCaller,
    maxHeldBytes: _maxHeldBytes,
    maxTools: _maxTools,
    maxPrompts: _maxPrompts,
    maxResources: _maxResources,
    maxTemplates: _maxTemplates,
    ...others
  } = limits;
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    // Operators reach the gateway from its own machine under any configuration.
    ...(allowedHosts && { allowedHosts: [...allowedHosts, "localhost", "127.0.0.1", "[::1]"] }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(trustProxy && { trustProxy }),
    ...(keepAliveMs !== undefined && { keepAliveMs, startAfterMs: startAfterMs(keepAliveMs) }),
    ...{ maxConcurrentRequests, maxStreams, ...others },
  };
}

/** Returns the changed keys that only a restart applies. `before` holds the settings of the start. */
export function needsRestart(before: GatewaySettings = {}, after: GatewaySettings = {}): string[] {
  const fixed = ({
    host,
    port,
    allowedHosts,
    allowedOrigins,
    trustProxy,
    limits,
    tasks,
    pendingCalls,
    restart,
    admin,
    log,
    legacy,
    keepAliveMs,
    probe,
    redis,
    postgres,
    workers,
    telemetry,
  }: GatewaySettings) => ({
    host,
    port,
    allowedHosts,
    allowedOrigins,
    trustProxy,
    limits: { ...limits, requestsPerMinute: undefined },
    tasks,
    pendingCalls,
    restart,
    "admin.host and port": [admin?.host, admin?.port],
    "admin.exchanges": admin?.exchanges,
    log,
    legacy,
    keepAliveMs,
    probe,
    redis,
    postgres,
    workers,
    telemetry,
  });
  const [was, is] = [fixed(before), fixed(after)];
  return Object.keys(was).filter((key) => {
    const member = key as keyof typeof was;
    return JSON.stringify(was[member]) !== JSON.stringify(is[member]);
  });
}

// What of the settings belongs to the listening server: fixed from its start on.
import type { ServeOptions } from "@lethe/server/node";
import { defaultLimits, type GatewaySettings } from "../config/gateway-settings.ts";

export function toHttpOptions({
  host,
  port,
  allowedHosts,
  allowedOrigins,
  trustProxy,
  limits = {},
}: GatewaySettings): ServeOptions {
  const {
    maxConcurrentRequests = defaultLimits.maxConcurrentRequests,
    maxStreams = defaultLimits.maxStreams,
    // The gateway itself enforces these.
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
    // Whoever runs it reaches it from its own machine under any configuration.
    ...(allowedHosts && { allowedHosts: [...allowedHosts, "localhost", "127.0.0.1", "[::1]"] }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(trustProxy && { trustProxy }),
    ...{ maxConcurrentRequests, maxStreams, ...others },
  };
}

/** The keys whose change has no effect on a running gateway. `before` is what it was started with. */
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
    isProbing,
    redis,
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
    probe: isProbing,
    redis,
  });
  const [was, is] = [fixed(before), fixed(after)];
  return Object.keys(was).filter((key) => {
    const member = key as keyof typeof was;
    return JSON.stringify(was[member]) !== JSON.stringify(is[member]);
  });
}

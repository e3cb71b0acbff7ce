// What stands between callers and the endpoints: who they are, how often they may ask, what they may use, and a record of it.
import { type Middleware, withMiddleware } from "@lethe/protocol";
import { rateLimit, type Servable, type TelemetryOptions, telemetry } from "@lethe/server";
import type { GatewaySettings } from "../config/gateway-settings.ts";
import { type Bodies, type RequestRecord, watchRequests } from "../observe/request-record.ts";
import { createGuard } from "../policy/guard.ts";
import type { Policy } from "../policy/policy.ts";
import { createAuthentication } from "./authentication.ts";
import { createLocate, type FrontEndpoint, upstreamOf } from "./endpoint.ts";

export interface FrontOptions {
  endpointAt(path: string): FrontEndpoint | undefined;
  settings: GatewaySettings;
  /** Of the settings. */
  policy: Policy | undefined;
  onDone(record: RequestRecord, bodies: Bodies | undefined): void;
  onRefused(reason: unknown): void;
  telemetryApi?: TelemetryOptions["api"] | undefined;
}

export interface Front {
  servableAt(path: string): Servable | undefined;
}

/** Made anew when the settings change; what runs goes on as it began. */
export function createFront(options: FrontOptions): Front {
  const { endpointAt, settings, policy } = options;
  const authenticator = createAuthentication(settings, options);
  const shared = createShared(options);
  const made = new Map<string, { endpoint: FrontEndpoint; servable: Servable }>();

  function toServable(endpoint: FrontEndpoint): Servable {
    const { path, upstream, servable } = endpoint;
    const watch = watchRequests({
      endpoint: path,
      upstreamOf: (requested, name) => upstreamOf(endpoint, requested, name),
      onDone: options.onDone,
      keepsBodies: () => settings.admin?.keepsBodies === true,
    });
    const guard = policy && createGuard({ policy, locate: createLocate(endpoint), ...(upstream && { upstream }) });
    const dispatch = withMiddleware(servable.dispatch, [watch, ...shared, ...(guard ? [guard] : [])]);
    return { ...servable, dispatch, authenticator };
  }

  return {
    servableAt(path) {
      const endpoint = endpointAt(path);
      if (!endpoint) {
        made.delete(path);
        return undefined;
      }
      const known = made.get(path);
      if (known?.endpoint === endpoint) return known.servable;
      const servable = toServable(endpoint);
      made.set(path, { endpoint, servable });
      return servable;
    },
  };
}

/** One of each for all endpoints: a caller's budget is one. */
function createShared({ settings, telemetryApi }: FrontOptions): Middleware[] {
  const perCaller = settings.limits?.requestsPerMinute;
  return [
    ...(telemetryApi ? [telemetry({ api: telemetryApi })] : []),
    ...(perCaller === undefined ? [] : [rateLimit({ perCaller })]),
  ];
}

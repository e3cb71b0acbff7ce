// Creates a gateway for programs: endpoints over upstreams, behind the edge that the settings describe.
import type { Servable } from "@lethe/server/edge";
import type { GatewaySettings } from "../config/schema/settings.ts";
import type { GatewayConfig } from "../config/upstream-config.ts";
import { createEdge, type EdgeOptions } from "./edge.ts";
import { basePath } from "./endpoints/endpoint.ts";
import { createGatewayBehind, type Gateway } from "./endpoints/gateway.ts";
import type { GatewayOptions } from "./endpoints/gateway-options.ts";
import { createPolicy, type Policy } from "./policy/policy.ts";
import { isUpstreamPath } from "./unknown-endpoint.ts";

/**
 * Creates a gateway without a listener, for programs that serve its endpoints themselves. Starts the upstreams. Throws an Error that names
 * an unknown or missing option or setting. Call `close` to end its connections and processes. `servableAt` applies `auth`, `policy` and the
 * limits per caller of the settings. `serveGateway` also applies the other settings: it listens, logs, reloads and shares state.
 */
export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { settings = {} } = config;
  const active = { settings, policy: settings.policy && createPolicy(settings.policy) };
  return createGatewayUnder(() => active, config, options);
}

/** Settings of the edge, and the policy that derives from them. */
interface ActiveSettings {
  readonly settings: GatewaySettings;
  readonly policy: Policy | undefined;
}

/** The same under settings of the edge that may change. They replace those of the configuration. */
export function createGatewayUnder(
  activeOf: () => ActiveSettings,
  config: GatewayConfig,
  options: GatewayOptions,
): Gateway {
  const { onRefused = () => {} } = options;
  return createGatewayBehind(
    {
      policyOf: () => activeOf().policy,
      serve: (parts) => createServableAt(activeOf, { ...parts, onRefused }),
    },
    config,
    options,
  );
}

/** Builds an edge for the first settings, so that invalid ones throw at once, and another when they change. */
function createServableAt(
  activeOf: () => ActiveSettings,
  parts: Pick<EdgeOptions, "endpointAt" | "tracing" | "onRefused">,
): (path: string) => Servable | undefined {
  const build = ({ settings, policy }: ActiveSettings) => {
    const likeAt = (path: string) => (isUpstreamPath(path, basePath) ? parts.endpointAt(basePath) : undefined);
    const showsNext = () => ({ isShown: false, hasSteps: false });
    return { settings, edge: createEdge({ ...parts, settings, policy, likeAt, showsNext, onDone() {} }) };
  };
  let built = build(activeOf());
  return (path) => {
    const active = activeOf();
    if (active.settings !== built.settings) built = build(active);
    return built.edge.servableAt(path);
  };
}

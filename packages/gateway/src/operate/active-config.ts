// What of operations the configuration decides, made anew whenever another one is in force.

import type { GatewaySettings } from "../config/gateway-settings.ts";
import type { ReadConfig } from "../config/read-config.ts";
import { createEdge, type Edge, type EdgeOptions } from "../edge/edge.ts";
import { createPolicy, type Policy } from "../edge/policy/policy.ts";
import { createSecretMask, type SecretMask } from "../upstreams/connection/secret-mask.ts";
import { type AdminSource, createAdminRoutes } from "./admin/admin-routes.ts";
import { createRedactor, type Redactor } from "./observe/redact.ts";

export interface ActiveConfig {
  readonly read: ReadConfig;
  readonly settings: GatewaySettings;
  /** Undefined: every caller may use everything. */
  readonly policy: Policy | undefined;
  readonly front: Edge;
  readonly adminRouteAt: ReturnType<typeof createAdminRoutes>;
  readonly redactor: Redactor;
  /** For callers. */
  readonly mask: SecretMask;
  /** What both mask. */
  readonly secrets: readonly string[];
}

export interface ActiveConfigOptions {
  readonly front: Omit<EdgeOptions, "settings" | "policy">;
  readonly admin: AdminSource;
}

const maxSecrets = 1_000;

/** Secrets of the configuration before stay masked: what was written then may still be shown. */
export function activateConfig(
  read: ReadConfig,
  { front, admin }: ActiveConfigOptions,
  before?: ActiveConfig,
): ActiveConfig {
  const { settings = {} } = read.config;
  const policy = settings.policy && createPolicy(settings.policy);
  const known = [...new Set([...read.secrets, ...(before?.secrets ?? [])])];
  const secrets = known.slice(0, Math.max(maxSecrets, read.secrets.length));
  return {
    ...{ read, settings, policy, secrets },
    front: createEdge({ ...front, settings, policy }),
    adminRouteAt: createAdminRoutes(admin, settings.admin),
    redactor: createRedactor(secrets),
    mask: createSecretMask(secrets),
  };
}

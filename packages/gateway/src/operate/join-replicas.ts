// A gateway whose configuration names a place for it shares some of its state with its other replicas.
import type { Dispatch } from "@lethe/protocol";
import { createKeyRing, keysFromEnvironment } from "@lethe/server/stores";
import { ConfigError } from "../config/config-error.ts";
import type { GatewaySettings } from "../config/gateway-settings.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { Share, SharedState } from "../upstreams/directory/shared-state.ts";
import type { Log } from "./observe/log.ts";

export interface JoinOptions {
  readonly settings: GatewaySettings | undefined;
  readonly share: Share | undefined;
  readonly keys: GatewayOptions["keys"];
  readonly log: Log;
  /** An endpoint of this replica; undefined when there is none at this path, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
}

/** Undefined for a gateway that is alone. Rejects with ConfigError, or with an Error when the place is out of reach. */
export async function joinReplicas(parts: JoinOptions): Promise<SharedState | undefined> {
  const { settings, share, keys, log, dispatchAt } = parts;
  const { redis } = settings ?? {};
  if (!redis) return undefined;
  if (!share) throw new ConfigError(["gateway.redis: this gateway was started without the means to share anything"]);
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  if (ring.isEphemeral) throw new ConfigError(["gateway.redis needs keys, the same for all replicas (LETHE_KEYS)"]);
  return share({
    ...{ settings: redis, ring, dispatchAt },
    onLost: (reason) =>
      log.error("shared.lost", `Redis is out of reach: ${reason}; requests that need the other replicas are refused`),
    onBack: () => log.info("shared.back", "Redis is back"),
    onProblem: (problem) => log.warn("shared.problem", problem),
  });
}

// Connects a gateway to the store it shares with its replicas, where the configuration names one.
import type { Dispatch } from "@lethe/protocol";
import { createKeyRing, keysFromEnvironment } from "@lethe/server/stores";
import { ConfigError } from "../config/config-error.ts";
import type { GatewaySettings } from "../config/gateway-settings.ts";
import type { Edge } from "../edge/edge.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { Share, SharedState } from "../upstreams/directory/shared-state.ts";
import type { Log } from "./observe/log.ts";

export interface JoinOptions {
  readonly settings: GatewaySettings | undefined;
  readonly share: Share | undefined;
  readonly keys: GatewayOptions["keys"];
  readonly log: Log;
  /** Returns an endpoint of this replica, or undefined when the path has none, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
}

/** Returns undefined for a gateway without replicas. Rejects with ConfigError, or with an Error when the store is unreachable. */
export async function joinReplicas(options: JoinOptions): Promise<SharedState | undefined> {
  const { settings, share, keys, log, dispatchAt } = options;
  const { redis } = settings ?? {};
  if (!redis) return undefined;
  if (!share) throw new ConfigError(["gateway.redis: this program has no support for a shared store"]);
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  if (ring.isEphemeral) throw new ConfigError(["gateway.redis needs keys, the same for all replicas (LETHE_KEYS)"]);
  return share({
    ...{ settings: redis, ring, dispatchAt },
    onLost: (reason) =>
      log.error(
        "shared.lost",
        `the shared store is unreachable: ${reason}; requests that need other replicas are refused`,
      ),
    onBack: () => log.info("shared.back", "the shared store is reachable again"),
    onProblem: (problem) => log.warn("shared.problem", problem),
  });
}

/** The endpoints of this replica for requests that other replicas forward. It has none until the edge opens. */
export class ForwardedRequests {
  #edge: Pick<Edge, "forwardedAt"> | undefined;

  readonly dispatchAt = (path: string): Dispatch | undefined => this.#edge?.forwardedAt(path);

  open(edge: Pick<Edge, "forwardedAt">): void {
    this.#edge = edge;
  }
}

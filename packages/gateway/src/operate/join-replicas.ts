// Connects a gateway to the store it shares with its replicas, where the configuration names one.
import type { Dispatch } from "@lethe/protocol";
import { createKeyRing, type KeyRing, keysFromEnvironment } from "@lethe/server/stores";
import { ConfigError } from "../config/config-error.ts";
import { replicaWaitMs } from "../config/response-timing.ts";
import type { GatewaySettings, PostgresSettings } from "../config/schema/settings.ts";
import { findWorkerPortProblem } from "../config/worker-ports.ts";
import type { Edge } from "../edge/edge.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { LinkChange, ReplicaChange, Share, SharedState, ShareParts } from "../upstreams/directory/shared-state.ts";
import type { Log } from "./observe/log.ts";

export interface JoinOptions {
  readonly settings: GatewaySettings | undefined;
  readonly share: Share | undefined;
  readonly shareByPostgres: Share<PostgresSettings> | undefined;
  readonly keys: GatewayOptions["keys"];
  readonly log: Log;
  /** Whether other workers listen on the same port, so that no other replica can ask this one there. */
  readonly sharesPort: boolean;
  /** Returns an endpoint of this replica, or undefined when the path has none, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
}

/** Returns undefined for a gateway without replicas. Rejects with ConfigError, or with an Error when the store is unreachable. */
export async function joinReplicas(options: JoinOptions): Promise<SharedState | undefined> {
  const { settings, share, shareByPostgres, keys, sharesPort } = options;
  const { redis, postgres } = settings ?? {};
  if (!redis && !postgres) return undefined;
  if (redis && postgres) {
    throw new ConfigError([
      "gateway.redis and gateway.postgres name two stores, and replicas share one: remove one of them",
    ]);
  }
  const name = redis ? "redis" : "postgres";
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  if (ring.isEphemeral) throw new ConfigError([`gateway.${name} needs keys, the same for all replicas (LETHE_KEYS)`]);
  const problem = sharesPort && settings ? findWorkerPortProblem(settings) : undefined;
  if (problem !== undefined) throw new ConfigError([`gateway.redis.direct.listen ${problem}`]);
  const parts = toParts(options, ring);
  if (redis && share) return share({ settings: redis, ...parts });
  if (postgres && shareByPostgres) return shareByPostgres({ settings: postgres, ...parts });
  throw new ConfigError([`gateway.${name}: this program has no support for a shared store`]);
}

function toParts({ settings, log, dispatchAt, sharesPort }: JoinOptions, ring: KeyRing): Omit<ShareParts, "settings"> {
  const { host = "127.0.0.1", port = 3000 } = settings ?? {};
  return {
    ...{ ring, dispatchAt, listens: port === 0 || sharesPort ? undefined : { host, port } },
    lookupMs: replicaWaitMs(settings?.keepAliveMs),
    onLost: (reason) =>
      log.error(
        "shared.lost",
        `the shared store is unreachable: ${reason}; requests that need other replicas are refused`,
      ),
    onBack: () => log.info("shared.back", "the shared store is reachable again"),
    onTrouble: ({ reason, text }) => log.error("shared.problem", text, { reason }),
    onSolved: (reason) =>
      log.info("shared.solved", `the shared store has no longer the problem "${reason}"`, { reason }),
    onReplica: (change) => logReplica(log, change),
    onLink: (change) => logLink(log, change),
    onProblem: (problem) => log.warn("shared.problem", problem),
  };
}

function logReplica(log: Log, { kind, replica, others }: ReplicaChange): void {
  const name = replica.slice(0, 8);
  const members = { replica: name, others };
  if (kind === "joined") log.info("replica.joined", `replica ${name} has joined`, members);
  else if (kind === "left") {
    const text = `replica ${name} has stopped, or its record in the shared store is gone`;
    log.info("replica.left", text, members);
  } else {
    const what = "was killed, stands still or is cut off from the shared store";
    log.warn("replica.lost", `replica ${name} ${what}; other replicas take over its sessions`, members);
  }
}

function logLink(log: Log, { kind, replica, reason }: LinkChange): void {
  const name = replica.slice(0, 8);
  if (kind === "up")
    log.info("replica.connected", `there is a direct connection to replica ${name}`, { replica: name });
  else {
    const text = `the direct connection to replica ${name} ended: ${reason}`;
    log.info("replica.disconnected", text, { replica: name, reason });
  }
}

/** The endpoints of this replica for requests that other replicas forward. It has none until the runtime opens them. */
export class ForwardedRequests {
  #runtime: Pick<Edge, "forwardedAt"> | undefined;

  readonly dispatchAt = (path: string): Dispatch | undefined => this.#runtime?.forwardedAt(path);

  open(runtime: Pick<Edge, "forwardedAt">): void {
    this.#runtime = runtime;
  }
}

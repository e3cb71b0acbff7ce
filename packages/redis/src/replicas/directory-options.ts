// The options of the directory of gateway replicas in Redis.
import type { Dispatch, KnownOptions } from "@lethe/protocol";
import type { Clock, KeyRing } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import type { DirectSettings, LinkChange } from "../links/direct-links.ts";
import type { Evidence } from "./evidence.ts";
import type { ReplicaChange } from "./membership.ts";
import { knownTimingOptions, type TimingOptions } from "./timings.ts";

/** Options of `createRedisDirectory`. */
export interface RedisDirectoryOptions extends TimingOptions {
  /** The connection to Redis. It stays open when the directory closes. */
  readonly connection: RedisLink;
  /** The keys of the deployment. Replicas with other keys cannot read each other's messages. */
  readonly ring: KeyRing;
  /** Returns the endpoint of this replica at `path`, or undefined when there is none. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called with problems that an operator should know. */
  onProblem(problem: string): void;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** The id of this replica, which no other process has ever had. Default: a random UUID. */
  readonly self?: string;
  /** "host:port" at which other replicas reach this one directly. */
  readonly address?: string;
  /** Extends the ownership of sessions while Redis is away. Default: a replica owns nothing without Redis. */
  readonly evidence?: Evidence;
  /**
   * Where this replica accepts direct connections of others, which then carry the messages between the two instead of Redis. Default:
   * Redis carries all messages.
   */
  readonly direct?: DirectSettings | undefined;
  /** The address of this machine in the connection to Redis: where others reach a listener on all addresses. Default: unknown. */
  readonly localHost?: string | undefined;
  /** Called when another replica joined, left or was lost. Default: no report. */
  onReplica?(change: ReplicaChange): void;
  /** Called when a direct connection to another replica begins or ends. Default: no report. */
  onLink?(change: LinkChange): void;
  /**
   * How long a request waits until Redis names the owner of its session, in ms. Then it fails as not started. Default: the timeout of
   * commands.
   */
  readonly lookupMs?: number | undefined;
  /** Concurrent requests to other replicas, and from them. Default 10,000 each. */
  maxCalls?: number;
  /** Size of a forwarded request or answer as JSON, in bytes. Default 8 MiB. */
  maxMessageBytes?: number;
}

export const knownRedisDirectoryOptions: KnownOptions<RedisDirectoryOptions> = {
  ...knownTimingOptions,
  connection: "an object",
  ring: "an object",
  dispatchAt: "a function",
  onProblem: "a function",
  clock: true,
  self: true,
  address: true,
  evidence: true,
  direct: { listen: { host: "a string", port: "a number" }, address: true },
  localHost: true,
  onReplica: true,
  onLink: true,
  lookupMs: true,
  maxCalls: true,
  maxMessageBytes: true,
};

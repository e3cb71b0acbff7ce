// The options of createGateway, besides the configuration.

import type { AuthStore } from "@lethe/client/auth";
import type { PendingCallLimits } from "@lethe/client/edge";
import type { Caller, KnownOptions } from "@lethe/protocol";
import type { Sender } from "@lethe/server/auth";
import type { TelemetryOptions } from "@lethe/server/middleware";
import type { Directory, SealKey, SingleUseStore } from "@lethe/server/stores";
import {
  knownResourceSubscriptionLimits,
  type ResourceSubscriptionLimits,
} from "../../subscriptions/resource-subscriptions.ts";
import { knownTaskSubscriptionLimits, type TaskSubscriptionLimits } from "../../subscriptions/task-subscriptions.ts";
import { type CircuitBreakerOptions, knownCircuitBreakerOptions } from "../../upstreams/connection/circuit-breaker.ts";
import type { SecretMask } from "../../upstreams/connection/secret-mask.ts";
import type { UpstreamEvent } from "../../upstreams/connection/upstream.ts";
import type { SharedRecords } from "../../upstreams/directory/shared-state.ts";
import type { FactStore } from "../../upstreams/sessions/learned-facts.ts";

/** Options of `createGateway`: callbacks, limits, and the state that replicas share. Times are in ms. */
export interface GatewayOptions
  extends Omit<PendingCallLimits, "whenFull">,
    ResourceSubscriptionLimits,
    TaskSubscriptionLimits {
  /** Called when an upstream becomes ready, fails or gets another verdict. */
  onEvent?(event: UpstreamEvent): void;
  /** Called with the reason why an item is not offered, and with its upstream if it has one. */
  onProblem?(problem: string, upstream?: string): void;
  /** Called with each line that an upstream writes to stderr. */
  onStderr?(upstream: string, line: string): void;
  /** Called when a process of an upstream starts. `gone` resolves when the process and its group have ended. */
  onProcess?(upstream: string, pid: number, gone: Promise<void>): void;
  /** Called with the reason a key or token of a caller was refused, and its sender. */
  onRefused?(reason: unknown, sender?: Sender): void;
  /**
   * Keys that seal the state which callers carry. All replicas need the same keys. Default: `LETHE_KEYS` of the environment,
   * else a random key of this process.
   */
  keys?: string | readonly SealKey[];
  /**
   * Records the authorization server that first received a configured client secret, for upstreams without
   * `clientCredentials.issuer`. Default: in memory, so that a restart trusts the upstream again.
   */
  issuers?: AuthStore;
  /**
   * Stores what the gateway learned about upstreams, such as a server that ends when a second client connects. Default: not
   * stored.
   */
  facts?: FactStore;
  /** Replay protection for responses to input requests. Replicas need a shared store. Default: the memory of this process. */
  singleUse?: SingleUseStore | undefined;
  /** Records of the tasks that the gateway makes of calls. Replicas need a shared store. Default: a task ends with its process. */
  taskRecords?: SharedRecords | undefined;
  /**
   * Masks secrets in error text of upstreams for callers. `serveGateway` masks those of its configuration. Default: no masking.
   */
  mask?: SecretMask;
  /** The directory of session owners. Default: this process owns every session. */
  directory?: Directory;
  /**
   * Whether other replicas reach the shared state and this one does not. Requests that cannot start then fail at once, so that a
   * load balancer sends them elsewhere. Default: never.
   */
  isCutOff?: () => boolean;
  /** How long lists wait for upstreams that do not respond when the gateway starts, in ms. Default 4,000. */
  startupWaitMs?: number;
  /** How long probing an upstream may take, in ms. Default 10,000. */
  probeTimeoutMs?: number;
  /** The minimum time between two probes of an upstream that contradicts its verdict, in ms. Default 60,000. */
  probeAgainMs?: number;
  /**
   * The module `@opentelemetry/api`, 1.9 or later, for spans and metrics of requests. Default of `serveGateway`: the block `telemetry`, the
   * variables of OpenTelemetry, or an SDK that was loaded before. Default of `createGateway`: none.
   */
  telemetryApi?: TelemetryOptions["api"] | undefined;
  /** Whether a caller may read a URI of an upstream, where several upstreams may have it. Default: always. */
  mayRead?(caller: Caller | undefined, upstream: string, uri: string): boolean;
  /** Whether a caller may call a tool of an upstream, and so access its tasks. Default: always. */
  mayCall?(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** The back-off and the circuit breaker of failing upstreams. */
  circuitBreaker?: CircuitBreakerOptions;
  /** How long a start may take, in ms, for upstreams without their own setting. Default 60,000. */
  startTimeoutMs?: number;
}

export const knownGatewayOptions: KnownOptions<GatewayOptions> = {
  ...knownResourceSubscriptionLimits,
  ...knownTaskSubscriptionLimits,
  onEvent: true,
  onProblem: true,
  onStderr: true,
  onProcess: true,
  onRefused: true,
  keys: true,
  issuers: true,
  facts: true,
  singleUse: true,
  taskRecords: true,
  mask: true,
  telemetryApi: true,
  directory: true,
  isCutOff: true,
  startupWaitMs: true,
  probeTimeoutMs: true,
  probeAgainMs: true,
  mayRead: true,
  mayCall: true,
  circuitBreaker: knownCircuitBreakerOptions,
  startTimeoutMs: true,
  maxPending: true,
  maxPendingPerCaller: true,
  pendingTtlMs: true,
};

// What a gateway can be told besides its upstreams.
import type { AuthStore, PendingCallLimits } from "@lethe/client";
import type { Caller } from "@lethe/protocol";
import type { Directory, SealKey, SingleUseStore } from "@lethe/server/stores";
import type { ResourceSubscriptionLimits } from "../../subscriptions/resource-subscriptions.ts";
import type { TaskSubscriptionLimits } from "../../subscriptions/task-subscriptions.ts";
import type { CircuitBreakerOptions } from "../../upstreams/connection/circuit-breaker.ts";
import type { SecretMask } from "../../upstreams/connection/secret-mask.ts";
import type { UpstreamEvent } from "../../upstreams/connection/upstream.ts";
import type { FactStore } from "../../upstreams/sessions/learned-facts.ts";

export interface GatewayOptions
  extends Omit<PendingCallLimits, "whenFull">,
    ResourceSubscriptionLimits,
    TaskSubscriptionLimits {
  /** Told when an upstream is ready or fails. */
  onEvent?(event: UpstreamEvent): void;
  /** Told what could not be offered and why, and of which upstream if it is one. */
  onProblem?(problem: string, upstream?: string): void;
  /** One line that an upstream wrote to its stderr. */
  onStderr?(upstream: string, line: string): void;
  /** A process of an upstream runs; `gone` resolves when nothing of it is left. */
  onProcess?(upstream: string, pid: number, gone: Promise<void>): void;
  /**
   * Seal the state that callers carry; all replicas need the same. Default: `LETHE_KEYS` of the environment, else a key of
   * this process.
   */
  keys?: string | readonly SealKey[];
  /**
   * Where the gateway records which authorization server it first used a configured client secret with, for upstreams
   * without `clientCredentials.issuer`. Default: in memory, so that a restart trusts the upstream again.
   */
  issuers?: AuthStore;
  /** Where the gateway remembers what it learned of upstreams, such as a server that ends when a second client comes. Default: not. */
  facts?: FactStore;
  /** Remembers which questions were answered; replicas need one store. Default: the memory of this process. */
  singleUse?: SingleUseStore | undefined;
  /** Hides secrets in error text of upstreams from callers. `serveGateway` masks those of its configuration. Default: none. */
  mask?: SecretMask;
  /** Default: this process alone. */
  directory?: Directory;
  /** How long requests of the very beginning wait for upstreams that were not read yet, in ms. Default 4,000. */
  startupWaitMs?: number;
  /** What probing an upstream may take, in ms. Default 10,000. */
  probeTimeoutMs?: number;
  /** An upstream that contradicts its verdict is probed again, but not sooner than this after the last time, in ms. Default 60,000. */
  probeAgainMs?: number;
  /** Whether a caller may read a URI of an upstream, when several upstreams may have it. Default: any may. */
  mayRead?(caller: Caller | undefined, upstream: string, uri: string): boolean;
  /** Whether a caller may call a tool of an upstream, and so look after its tasks. Default: any may. */
  mayCall?(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** How fast upstreams that fail are tried again. */
  circuitBreaker?: CircuitBreakerOptions;
  /** For upstreams without a setting of their own, in ms. Default 60,000. */
  startTimeoutMs?: number;
}

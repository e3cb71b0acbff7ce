// The back-off between two starts of an upstream: exponential, with jitter so that several gateways do not retry together.
import type { KnownOptions } from "@lethe/protocol";
import { defaultRestart } from "../../config/schema/defaults.ts";

export interface BackoffOptions {
  /** Delay before the first restart, in ms. Default 500. */
  firstMs?: number;
  /** Maximum delay, in ms. Default 30,000. */
  maxMs?: number;
}

export const knownBackoffOptions: KnownOptions<BackoffOptions> = { firstMs: true, maxMs: true };

/** Returns the delay in ms after `failures` failures. It doubles with each failure, and its upper half is random. */
export function backoffMs(failures: number, options: BackoffOptions = {}, random: () => number = Math.random): number {
  const { firstMs = defaultRestart.firstMs, maxMs = defaultRestart.maxMs } = options;
  const full = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * random();
}

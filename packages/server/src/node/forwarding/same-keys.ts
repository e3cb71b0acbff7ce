// Rejects keys that replicas cannot share, and requests for a replica that has other keys: it cannot open messages from here, and the sender
// would notice that only by a timeout.
import { ReplicaError } from "../../replicas/replica-error.ts";
import type { KeyRing } from "../../seal/key-ring.ts";
import type { KeyFingerprints } from "./key-fingerprints.ts";

export interface SameKeysOptions {
  readonly fingerprints: KeyFingerprints;
  readonly timings: { readonly leaseMs: number };
  onProblem(problem: string): void;
}

/** Throws an Error for keys that end with this process. `store` is the name of what replicas share. */
export function requireSameKeys({ isEphemeral }: KeyRing, store: string): void {
  if (isEphemeral) throw new Error(`replicas that share ${store} need the same keys (LETHE_KEYS)`);
}

export class SameKeys {
  readonly #options: SameKeysOptions;
  #hasReported = false;

  constructor(options: SameKeysOptions) {
    this.#options = options;
  }

  /** Throws ReplicaError unless `replica`, which has these fingerprints, and this one can open each other's messages. */
  require(replica: string, theirs: string): void {
    const { fingerprints, timings, onProblem } = this.#options;
    if (fingerprints.fit(theirs)) return;
    if (!this.#hasReported) {
      onProblem(
        `replica ${replica.slice(0, 8)} has other keys; requests for its sessions are rejected: check that LETHE_KEYS is the same`,
      );
    }
    this.#hasReported = true;
    const message = "has its session at a replica of the gateway that has other keys";
    throw new ReplicaError("unavailable", message, { retryAfterMs: timings.leaseMs });
  }
}

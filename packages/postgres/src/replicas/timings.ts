// The times by which replicas judge themselves and each other. One setting, `leaseMs`, determines the others.
import type { KnownOptions } from "@lethe/protocol";

/** Times of leases, in ms. */
export interface TimingOptions {
  /** How long a replica that was killed, stands still or is cut off from PostgreSQL keeps its sessions, in ms. Default 5,000, at least 50. */
  readonly leaseMs?: number;
}

export const knownTimingOptions: KnownOptions<TimingOptions> = { leaseMs: true };

export interface Timings extends Required<TimingOptions> {
  /** The interval of renewals. */
  readonly renewMs: number;
  /** How long a renewal proves that a replica owns its sessions, from the moment at which it was sent. */
  readonly validMs: number;
  /** How long no session is acquired from a database that may have forgotten owners. Until then, their last renewals prove nothing any more. */
  readonly settleMs: number;
  /** A replica that receives messages and sends nothing for this time has failed. */
  readonly silenceMs: number;
  /** A replica that cannot be asked, because PostgreSQL is away, counts as failed after this time. */
  readonly outageMs: number;
  /** A replica counts as alive for this time after its last message. */
  readonly aliveMs: number;
  /** The owner of a session is not looked up again for this time, an hour, unless something contradicts what PostgreSQL said. */
  readonly ownerMs: number;
  /** The pause between two questions about a replica that cannot be reached. */
  readonly absentMs: number;
  /** The interval at which a replica lists the others. */
  readonly listEveryMs: number;
}

/** Throws RangeError if `leaseMs` is not a time. */
export function toTimings({ leaseMs = 5_000 }: TimingOptions): Timings {
  if (!Number.isInteger(leaseMs) || leaseMs < 50) {
    throw new RangeError("leaseMs must be a whole number of at least 50");
  }
  const renewMs = leaseMs * 0.15;
  return {
    leaseMs,
    renewMs,
    // The rest is for differences between the clocks of two machines, and for a clock that is set forward.
    validMs: Math.round(leaseMs * 0.6),
    settleMs: leaseMs * 0.7,
    silenceMs: leaseMs * 0.8,
    outageMs: 4 * leaseMs,
    aliveMs: renewMs,
    ownerMs: 720 * leaseMs,
    absentMs: leaseMs * 0.025,
    listEveryMs: leaseMs * 0.4,
  };
}

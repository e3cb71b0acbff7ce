// The times by which replicas judge themselves and each other. One setting, `leaseMs`, determines the others.
import type { KnownOptions } from "@lethe/protocol";

/** Times of leases and heartbeats, in ms. All replicas need the same values. */
export interface TimingOptions {
  /** How long a replica that stands still or is cut off keeps its sessions, in ms. Default 2,500, at least 50. */
  readonly leaseMs?: number;
  /** The interval of heartbeats, in ms. Default: a tenth of `leaseMs`. */
  readonly heartbeatMs?: number;
  /** How long a heartbeat proves that a replica owns its sessions, in ms. Default: 0.28 of `leaseMs`. */
  readonly validMs?: number;
  /** How long Redis remembers the last owner of a session after its last heartbeat, in ms. Default 1 hour. */
  readonly rememberMs?: number;
}

export const knownTimingOptions: KnownOptions<TimingOptions> = {
  leaseMs: true,
  heartbeatMs: true,
  validMs: true,
  rememberMs: true,
};

export interface Timings extends Required<TimingOptions> {
  /** What the clocks of two machines may differ by in `validMs`, and more. */
  readonly marginMs: number;
  /** After a loss of all data in Redis, no session changes owner for this time. */
  readonly quietMs: number;
  /** A replica that receives messages and sends nothing for this time has failed. */
  readonly silenceMs: number;
  /** A replica that cannot be asked, because Redis is away, counts as failed after this time. */
  readonly outageMs: number;
  /** A replica counts as alive for this time after its last message. */
  readonly aliveMs: number;
  /** The owner of a session is not looked up again for this time, an hour, unless something contradicts what Redis said. */
  readonly ownerMs: number;
  /** The pause between two questions about a replica that cannot be reached. */
  readonly absentMs: number;
  /** The interval at which a replica lists the others. */
  readonly listEveryMs: number;
}

/** Throws RangeError for times that contradict each other. */
export function toTimings(options: TimingOptions): Timings {
  const { leaseMs = 2_500, rememberMs = 3_600_000 } = options;
  const { heartbeatMs = leaseMs * 0.1, validMs = Math.round(leaseMs * 0.28) } = options;
  const marginMs = validMs * 0.2;
  require(Number.isInteger(leaseMs) && leaseMs >= 50, "leaseMs must be a whole number of at least 50");
  require(Number.isInteger(validMs), "validMs must be a whole number");
  require(heartbeatMs > 0 && 2 * heartbeatMs <= validMs, "heartbeatMs must be at most half of validMs");
  require(validMs + marginMs < leaseMs, "validMs must be less than five sixths of leaseMs");
  const remembers = Number.isInteger(rememberMs) && rememberMs >= 4 * leaseMs;
  require(remembers, "rememberMs must be a whole number of at least four times leaseMs");
  return {
    ...{ leaseMs, heartbeatMs, validMs, rememberMs, marginMs },
    quietMs: leaseMs + validMs,
    // A frozen owner's calls end about when others can acquire its sessions.
    silenceMs: leaseMs * 0.8,
    outageMs: 4 * leaseMs,
    aliveMs: heartbeatMs,
    ownerMs: 1_440 * leaseMs,
    absentMs: heartbeatMs / 2,
    listEveryMs: 4 * heartbeatMs,
  };
}

function require(isTrue: boolean, expectation: string): void {
  if (!isTrue) throw new RangeError(expectation);
}

// Chooses the replica that opens a new session. Replicas choose by notes that are up to a few seconds old, so the best one of all would
// be chosen by all of them at once. Each takes the better one of two at random instead.

export interface Candidate {
  readonly replica: string;
  /** The part of its sessions that is free, from 0 to 1. */
  readonly freeShare: number;
}

/** `random` returns numbers from 0 to below 1. Undefined if there is no candidate. */
export function chooseReplica(candidates: readonly Candidate[], random: () => number): Candidate | undefined {
  const { length } = candidates;
  if (length < 2) return candidates[0];
  const first = Math.floor(random() * length);
  const step = 1 + Math.floor(random() * (length - 1));
  const [one, other] = [candidates[first], candidates[(first + step) % length]];
  return one && other && other.freeShare > one.freeShare ? other : one;
}

// Why a Redis that this process reaches, or tries to reach, is unusable. The reasons are labels of a metric: Lethe may add some, but
// renames none.

/** Why Redis cannot be used. */
export type RedisProblemReason =
  /** There is no connection, or no answer. */
  | "unreachable"
  /** Redis reads its data from disk. */
  | "loading"
  /** Redis has no memory left and rejects writes. */
  | "full"
  /** The address leads to a stand-by. */
  | "read_only"
  /** Redis removes keys when its memory is full. */
  | "evicting"
  /** Keys vanished while Redis was running. */
  | "flushed"
  /** Another instance answers than before, after a restart or a failover. */
  | "replaced"
  /** The account may not run a command that Lethe needs, or its password is wrong. */
  | "no_permission"
  /** Redis rejects commands for another reason. */
  | "refused"
  /** The clocks of Redis and of this machine differ. */
  | "clock_skew";

/** A reason why Redis cannot be used, and its remedy. */
export interface RedisProblem {
  readonly reason: RedisProblemReason;
  /** What is wrong and what to do. */
  readonly text: string;
}

const reasonsByCode: ReadonlyMap<string, RedisProblemReason> = new Map([
  ["OOM", "full"],
  ["READONLY", "read_only"],
  ["LOADING", "loading"],
  ["NOPERM", "no_permission"],
  ["NOAUTH", "no_permission"],
  ["WRONGPASS", "no_permission"],
]);

const advice: Readonly<Partial<Record<RedisProblemReason, string>>> = {
  full: "Redis has no memory left (maxmemory): new sessions fail until there is room; raise maxmemory",
  read_only: "Redis is a read-only stand-by: check that the address leads to the primary",
  loading: "Redis is loading its data and accepts no commands yet",
};

/** The problem behind an error reply of Redis. */
export function problemOf({ message }: Error): RedisProblem {
  const reason = reasonsByCode.get(/^[A-Z]+/.exec(message)?.[0] ?? "") ?? "refused";
  if (reason === "no_permission") {
    return { reason, text: `Redis denies a command to this account (${message}): check its password and ACL` };
  }
  return { reason, text: advice[reason] ?? `Redis rejects commands: ${message}` };
}

/** The problem of a Redis that may remove keys. Every key of Lethe has a time to live, so that each policy concerns it. */
export function evictionProblem(policy: string): RedisProblem {
  return {
    reason: "evicting",
    text: `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), and the owner of a session may then be forgotten, so that a caller has two sessions at a time: set noeviction`,
  };
}

// The other replicas of the gateway, as PostgreSQL lists them: reports who joined, left or was lost.
import { ListDelay } from "@lethe/server/forwarding";
import { type Clock, every } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { type ListedLease, listLeases } from "./directory-statements.ts";
import type { Timings } from "./timings.ts";

/** `left`: it stopped in order. `lost`: it was killed, stands still or is cut off from PostgreSQL, and its lease has expired. */
export interface ReplicaChange {
  readonly kind: "joined" | "left" | "lost";
  readonly replica: string;
  /** How many other replicas have a lease now. */
  readonly others: number;
}

export interface MembershipOptions {
  readonly postgres: Pick<PostgresLink, "prefix" | "run">;
  readonly clock: Clock;
  readonly self: string;
  readonly timings: Timings;
  onChange(change: ReplicaChange): void;
}

/** Replicas that are listed. The ones with a lease come first. */
const maxListed = 1_000;
/** For how long replicas whose lease has expired are listed, in ms. */
const listedMs = 600_000;
/** A renewal that is this part of the lease old is overdue. */
const overduePart = 0.5;

export class Membership {
  readonly #options: MembershipOptions;
  readonly #delay: ListDelay;
  /** The replicas of the last list. Undefined before the first one. */
  #known: ReadonlyMap<string, ListedLease> | undefined;
  #alive: readonly string[] = [];
  #lost = 0;
  #isLooking = false;
  #isClosed = false;
  #stop: (() => void) | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#delay = new ListDelay(options.timings.leaseMs);
  }

  /** The ids of the other replicas that have a lease. */
  get alive(): readonly string[] {
    return this.#alive;
  }

  /** How many replicas were lost since this one started. */
  get lost(): number {
    return this.#lost;
  }

  /** Whether a replica had a lease, and renewed it in time, when they were last listed. */
  isListed(replica: string): boolean {
    const known = this.#known?.get(replica);
    return known?.isRunning === true && known.remainingMs >= known.lengthMs * (1 - overduePart);
  }

  /** Rejects when PostgreSQL does not answer. */
  async start(): Promise<void> {
    const { clock, timings } = this.#options;
    await this.#list();
    this.#stop = every(clock, timings.listEveryMs, () => void this.#look());
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // PostgreSQL is away, which the connection reports.
    await this.#list().catch(() => {});
    this.#isLooking = false;
  }

  async #list(): Promise<void> {
    const { postgres, self } = this.#options;
    const rows = await postgres.run<ListedLease>(listLeases, [postgres.prefix, self, listedMs, maxListed]);
    if (this.#isClosed) return;
    const before = this.#known;
    const { clock, timings } = this.#options;
    const isUndecided = this.#delay.isUndecided(clock.now(), timings.listEveryMs);
    this.#known = new Map(rows.map((row) => [row.replica, isUndecided ? keepRunning(row, before) : row]));
    this.#alive = [...this.#known.values()].filter(({ isRunning }) => isRunning).map(({ replica }) => replica);
    if (!before) return;
    for (const [replica, { isRunning, hasLeft }] of this.#known) {
      const wasRunning = before.get(replica)?.isRunning === true;
      if (isRunning && !wasRunning) this.#report("joined", replica);
      if (!isRunning && wasRunning) this.#report(hasLeft ? "left" : "lost", replica);
    }
    for (const [replica, { isRunning }] of before) {
      if (isRunning && !this.#known.has(replica)) this.#report("lost", replica);
    }
  }

  #report(kind: ReplicaChange["kind"], replica: string): void {
    if (kind === "lost") this.#lost += 1;
    this.#options.onChange({ kind, replica, others: this.#alive.length });
  }
}

/** A later list decides whether a replica whose lease has expired is lost. */
function keepRunning(row: ListedLease, before: ReadonlyMap<string, ListedLease> | undefined): ListedLease {
  return { ...row, isRunning: row.isRunning || (before?.get(row.replica)?.isRunning === true && !row.hasLeft) };
}

// Decides which replica owns a session: this one, another one, or the one that acquires it first.
import { FormerOwners, type KeyFingerprints, RecentOwners, SameKeys, withDeadline } from "@lethe/server/forwarding";
import { type Acquired, type AcquireOptions, type Clock, ReplicaError } from "@lethe/server/stores";
import { PostgresUnavailableError } from "../connection/postgres-error.ts";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { type AcquireRow, acquireSession, findRunningLease, revokeLease } from "./directory-statements.ts";
import type { Lease } from "./lease.ts";
import type { OwnedSessions } from "./owned-sessions.ts";
import type { Timings } from "./timings.ts";

export interface SessionOwnershipOptions {
  readonly postgres: Pick<PostgresLink, "prefix" | "run">;
  readonly clock: Clock;
  readonly self: string;
  readonly fingerprints: KeyFingerprints;
  readonly timings: Timings;
  readonly lease: Lease;
  readonly sessions: OwnedSessions;
  /** Whether a replica had a lease when they were last listed, and renewed it in time. */
  isListed(replica: string): boolean;
  /** How long a request waits for an answer of PostgreSQL, in ms. */
  readonly lookupMs: number;
  onProblem(problem: string): void;
}

const maxAttempts = 10;
/** An owner is not asked when its last renewal is this part of the lease old. Less would be a pause of a busy machine. */
const overduePart = 0.5;

export class SessionOwnership {
  readonly #options: SessionOwnershipOptions;
  /** The acquisitions that are in progress. */
  readonly #acquiring = new Map<string, Promise<Acquired>>();
  readonly #recent: RecentOwners;
  readonly #formerOwners = new FormerOwners();
  readonly #sameKeys: SameKeys;
  #claims = 0;

  constructor(options: SessionOwnershipOptions) {
    this.#options = options;
    this.#recent = new RecentOwners(options);
    this.#sameKeys = new SameKeys(options);
  }

  /** Returns the owner of a session: this replica, unless another one owns it. Rejects with ReplicaError. */
  async acquire(key: string, { isForwarded = false }: AcquireOptions = {}): Promise<Acquired> {
    const { self, lease, sessions } = this.#options;
    if (lease.isValid() && sessions.has(key)) return { owner: self };
    // If that replica has released the session meanwhile, it acquires it again or forwards the request.
    const known = isForwarded ? undefined : this.#recent.ownerOf(key);
    if (known !== undefined) return { owner: known };
    if (!isForwarded) this.#recent.requireReachable(key);
    const running = this.#acquiring.get(key);
    // The former owner is for one of them.
    if (running !== undefined) return running.then(({ owner }) => ({ owner }));
    const acquiring = this.#orUnavailable(this.#acquireIn(key, isForwarded)).finally(() => this.#acquiring.delete(key));
    this.#acquiring.set(key, acquiring);
    return acquiring;
  }

  /** Whether this replica owns the session, or remembers another one that does. */
  isKnown(key: string): boolean {
    const { lease, sessions } = this.#options;
    return (lease.isValid() && sessions.has(key)) || this.#recent.ownerOf(key) !== undefined;
  }

  release(key: string): void {
    const { lease, sessions } = this.#options;
    // A release would also undo an acquisition that is in progress.
    if (!this.#acquiring.has(key) && lease.id !== undefined) sessions.release(key, lease.id);
  }

  /** Rejects with ReplicaError. */
  async isAlive(replica: string): Promise<boolean> {
    if (this.#recent.isAlive(replica)) return true;
    const { postgres } = this.#options;
    const find = this.#ask(postgres.run<{ entry: string }>(findRunningLease, [postgres.prefix, replica]));
    const [found] = await this.#orUnavailable(find);
    if (!found) return false;
    this.#sameKeys.require(replica, found.entry);
    this.#recent.addAlive(replica);
    return true;
  }

  /** A message from this replica arrived. */
  receivedFrom(replica: string): void {
    this.#recent.receivedFrom(replica);
  }

  /** This replica did not receive a message. */
  missed(replica: string): void {
    this.#recent.missed(replica);
  }

  /** This replica takes no more requests. */
  refused(replica: string): void {
    this.#recent.forget(replica);
  }

  /** The replica that was taken for the owner of this session forwarded a request to another one. */
  foundElsewhere(key: string): void {
    this.#recent.doubtOwner(key);
  }

  /** After a reconnect, another database may answer. */
  reconnected(): void {
    this.#recent.forgetAll();
  }

  async #acquireIn(key: string, isForwarded: boolean): Promise<Acquired> {
    const { postgres, self, lease, sessions } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (!lease.hasLeft && !lease.isValid()) await this.#ask(lease.renew());
      const id = lease.id ?? "";
      this.#claims += 1;
      const claim = this.#claims;
      const mayTake = !lease.hasLeft && lease.isValid() && lease.settleMs() === 0;
      const values = [postgres.prefix, sessions.digestOf(key), id, claim, mayTake, lease.server];
      const row = await this.#try(key, values);
      if (!row) continue;
      const { former, replica, remainingMs } = row;
      if (!row.hasLease && !lease.hasLeft) await this.#ask(lease.renew());
      if (row.isTaken) {
        // The lease may have expired since then: only one that this replica counts as running proves the ownership.
        if (lease.id !== id || !lease.isValid()) continue;
        sessions.add(key, claim);
        this.#recent.deleteOwner(key);
        const formerOwner = this.#formerOwners.take(key);
        return formerOwner === undefined ? { owner: self } : { owner: self, formerOwner };
      }
      if (lease.hasLeft && (replica === null || replica === self))
        throw unavailable("this one is being stopped", 1_000);
      if (replica === null || replica === self) {
        requireSettled(lease.settleMs());
        continue;
      }
      sessions.lose(key);
      this.#formerOwners.forget(key);
      if (remainingMs !== null && remainingMs > 0) return this.#toOther(key, row as OwnerRow, isForwarded);
      const restMs = Math.max(lease.restMs(), lease.settleMs());
      if (restMs > 0) throw unavailable("replicas are renewing their sessions after an outage", Math.ceil(restMs));
      await this.#ask(postgres.run(revokeLease, [postgres.prefix, former]));
    }
    throw unavailable("PostgreSQL answers too slowly", 1_000);
  }

  /** Undefined after a conflict with another change. */
  #try(key: string, values: readonly (string | number | boolean)[]): Promise<AcquireRow | undefined> {
    const { postgres, self } = this.#options;
    const answer = postgres.run<AcquireRow>(acquireSession, values).then(([row]) => {
      // Also when the request does not wait any more.
      const former = row?.isTaken && row.former !== null ? replicaOf(row.former) : self;
      if (former !== self) this.#formerOwners.add(key, former);
      return row;
    });
    return this.#ask(answer);
  }

  #toOther(key: string, { replica, entry, lengthMs, remainingMs }: OwnerRow, isForwarded: boolean): Acquired {
    this.#sameKeys.require(replica, entry);
    const isNew = this.#recent.addNamed(key, replica);
    // A request for a replica that stands still or is cut off waits here, where it has not started, until the lease expires.
    if (lengthMs - remainingMs > lengthMs * overduePart) {
      this.#recent.addAbsent(replica);
      const message = "has its session at a replica of the gateway that has stopped renewing its lease";
      throw new ReplicaError("unavailable", message, { retryAfterMs: Math.max(Math.ceil(remainingMs), 1) });
    }
    if (isNew && !isForwarded) this.#recent.requireReachable(key);
    this.#recent.addOwner(key, replica);
    return { owner: replica };
  }

  #ask<T>(answer: Promise<T>): Promise<T> {
    const { lookupMs } = this.#options;
    return lookupMs === Number.POSITIVE_INFINITY ? answer : withDeadline(lookupMs, answer);
  }

  async #orUnavailable<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      if (error instanceof ReplicaError) throw error;
      const isRefusal = error instanceof Error && "code" in error && !(error instanceof PostgresUnavailableError);
      throw unavailable(isRefusal ? "PostgreSQL rejected a statement" : "PostgreSQL does not answer", 1_000);
    }
  }
}

/** A row with an owner. */
interface OwnerRow extends AcquireRow {
  readonly replica: string;
  readonly entry: string;
  readonly lengthMs: number;
  readonly remainingMs: number;
}

/** The replica of a lease. */
function replicaOf(lease: string): string {
  return lease.slice(0, lease.lastIndexOf("."));
}

/** Throws ReplicaError while the database may have forgotten owners. */
function requireSettled(settleMs: number): void {
  if (settleMs > 0) throw unavailable("replicas find their sessions in another database", Math.ceil(settleMs));
}

function unavailable(reason: string, retryAfterMs: number): ReplicaError {
  const message = `is unavailable because the gateway replica that owns its session is unknown: ${reason}`;
  return new ReplicaError("unavailable", message, { retryAfterMs });
}

// Decides which replica owns a session: this one, another one, or the one that acquires it first.
import { FormerOwners, type KeyFingerprints, RecentOwners, SameKeys } from "@lethe/server/forwarding";
import { type Acquired, type AcquireOptions, type Clock, pause, ReplicaError } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";
import type { Lease } from "./lease.ts";
import { maxEntryChars, parseLeaseEntry } from "./lease-entry.ts";
import { acquireText } from "./lease-scripts.ts";
import { Lookup } from "./lookup.ts";
import type { OwnedSessions } from "./owned-sessions.ts";
import type { Restraint } from "./restraint.ts";
import type { Timings } from "./timings.ts";

export interface SessionOwnershipOptions {
  readonly connection: RedisLink;
  readonly clock: Clock;
  readonly self: string;
  readonly fingerprints: KeyFingerprints;
  readonly timings: Timings;
  readonly lease: Lease;
  readonly restraint: Restraint;
  readonly sessions: OwnedSessions;
  /** Whether a replica sent heartbeats when they were last listed. */
  isListed(replica: string): boolean;
  /** How long a request waits for an answer of Redis, in ms. */
  readonly lookupMs: number;
  onProblem(problem: string): void;
}

const maxAttempts = 10;
/** An owner is not asked when its last heartbeat is this part of the lease old. Less would be a pause of a busy machine. */
const overduePart = 0.5;
/**
 * -1: the own lease has expired. -2: no record of an owned session. Other numbers: how many ms no replica may take the session.
 * Otherwise owner, entry, former owner, remaining time of the lease of another owner in ms.
 */
type Reply = number | readonly [owner: string, entry: string, formerOwner: string, remainingMs?: number];

export class SessionOwnership {
  readonly #options: SessionOwnershipOptions;
  readonly #acquire: Script;
  readonly #leasePrefix: string;
  readonly #quietKey: string;
  /** How many acquisitions of a session are in progress. */
  readonly #acquiring = new Map<string, number>();
  readonly #recent: RecentOwners;
  readonly #lookup: Lookup;
  readonly #formerOwners = new FormerOwners();
  readonly #sameKeys: SameKeys;

  constructor(options: SessionOwnershipOptions) {
    this.#options = options;
    const { connection } = options;
    this.#acquire = createScript(connection, acquireText);
    this.#leasePrefix = connection.nameOf("lease:");
    this.#quietKey = connection.nameOf("quiet");
    this.#recent = new RecentOwners(options);
    this.#sameKeys = new SameKeys(options);
    this.#lookup = new Lookup(options.clock, options.lookupMs);
  }

  /** Returns the owner of a session: this replica, unless another one owns it. Rejects with ReplicaError. */
  async acquire(key: string, { isForwarded = false }: AcquireOptions = {}): Promise<Acquired> {
    // If that replica has released the session meanwhile, it acquires it again or forwards the request.
    const known = isForwarded ? undefined : this.#recent.ownerOf(key);
    if (known !== undefined) return { owner: known };
    if (!isForwarded) this.#recent.requireReachable(key);
    this.#acquiring.set(key, (this.#acquiring.get(key) ?? 0) + 1);
    try {
      return await orUnavailable(this.#acquireIn(key, isForwarded));
    } finally {
      const others = (this.#acquiring.get(key) ?? 1) - 1;
      if (others > 0) this.#acquiring.set(key, others);
      else this.#acquiring.delete(key);
    }
  }

  release(key: string): void {
    // A release would also undo an acquisition that is in progress.
    if (!this.#acquiring.has(key)) this.#options.sessions.release(key);
  }

  /** Whether this replica remembers another one as the owner. */
  knowsOwner(key: string): boolean {
    return this.#recent.ownerOf(key) !== undefined;
  }

  /** Rejects with ReplicaError. */
  async isAlive(replica: string): Promise<boolean> {
    if (this.#recent.isAlive(replica)) return true;
    const { client } = this.#options.connection;
    const read = () => client.call("GETRANGE", `${this.#leasePrefix}${replica}`, 0, maxEntryChars - 1);
    const entry = (await orUnavailable(this.#lookup.ask(read))) as string;
    if (entry === "") return false;
    this.#sameKeys.require(replica, parseLeaseEntry(entry).fingerprints);
    this.#recent.addAlive(replica);
    return true;
  }

  /** A message from this replica arrived. */
  receivedFrom(replica: string): void {
    this.#recent.receivedFrom(replica);
  }

  /** A message to this replica had no receiver. */
  missed(replica: string): void {
    this.#recent.missed(replica);
  }

  /** This replica takes no more requests. */
  refused(replica: string): void {
    // A later message from it, about another request, does not restore what was known.
    this.#recent.forget(replica);
  }

  /** The replica that was taken for the owner of this session forwarded a request to another one. */
  foundElsewhere(key: string): void {
    this.#recent.doubtOwner(key);
  }

  /** After a reconnect, Redis may have lost its data. */
  reconnected(): void {
    this.#recent.forgetAll();
  }

  async #acquireIn(key: string, isForwarded: boolean): Promise<Acquired> {
    const { clock, self, timings, lease, restraint, sessions } = this.#options;
    // Requests wait out the moment after a connect, and not much more.
    const waitUntil = clock.now() + 1.5 * (timings.validMs + timings.marginMs);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const sentAt = clock.now();
      const isOwned = sessions.has(key);
      const reply = await this.#ask(key, isOwned);
      if (reply === -1 || reply === -2) {
        await (reply === -1 ? lease.renew() : lease.recordSessions());
        continue;
      }
      const [owner, entry, , remainingMs] = typeof reply === "number" ? [undefined, "", ""] : reply;
      if (owner !== undefined && owner !== self) {
        sessions.lose(key);
        // The former owner is gone, too: the next attempt takes the session.
        if (owner === "") continue;
        this.#sameKeys.require(owner, parseLeaseEntry(entry).fingerprints);
        const isNew = this.#recent.addNamed(key, owner);
        this.#requireHeartbeats(owner, entry, remainingMs);
        if (isNew && !isForwarded) this.#recent.requireReachable(key);
        this.#formerOwners.forget(key);
        this.#recent.addOwner(key, owner);
        return { owner };
      }
      if (lease.hasLeft) throw unavailable("this one is being stopped", 1_000);
      const restMs = Math.max(Number(reply) || 0, isOwned ? 0 : restraint.restMs());
      if (restMs > 0) {
        // An introduction to other replicas takes a moment, and its end is unknown.
        const pauseMs = Number.isFinite(restMs) ? Math.ceil(restMs) : timings.heartbeatMs;
        if (clock.now() + pauseMs > waitUntil) throw notYet(restMs, timings);
        await pause(clock, pauseMs);
      } else if (owner === self && lease.mayBeSucceeded) {
        await lease.renew();
      } else if (owner === self && clock.now() - sentAt < timings.validMs) {
        sessions.add(key);
        this.#recent.deleteOwner(key);
        const formerOwner = this.#formerOwners.take(key);
        return formerOwner === undefined ? { owner } : { owner, formerOwner };
      }
    }
    throw unavailable("Redis answers too slowly", 1_000);
  }

  #ask(key: string, isOwned: boolean): Promise<Reply> {
    const { self, timings, lease, restraint, sessions } = this.#options;
    const isFree = !lease.hasLeft && restraint.restMs() <= 0;
    const mode = isOwned && !lease.hasLeft ? "keep" : isFree ? "take" : "look";
    const keys = [...lease.keys, this.#quietKey, sessions.nameOf(key)];
    const args = [self, this.#leasePrefix, timings.leaseMs, timings.rememberMs, mode];
    return this.#lookup.ask(async () => {
      const reply = (await this.#acquire(keys, args)) as Reply;
      // Also when the request does not wait any more: Redis names the former owner once.
      if (typeof reply !== "number" && reply[2] !== "") this.#formerOwners.add(key, reply[2]);
      return reply;
    });
  }

  /** A request for a replica that stands still or is cut off waits here, where it has not started, until the lease expires. */
  #requireHeartbeats(owner: string, entry: string, remainingMs = Number.POSITIVE_INFINITY): void {
    const { leaseMs = Number.POSITIVE_INFINITY } = parseLeaseEntry(entry);
    if (leaseMs - remainingMs <= leaseMs * overduePart) return;
    this.#recent.addAbsent(owner);
    const message = "has its session at a replica of the gateway that has stopped sending heartbeats";
    throw new ReplicaError("unavailable", message, { retryAfterMs: Math.max(remainingMs, 1) });
  }
}

function notYet(restMs: number, { leaseMs }: Timings): ReplicaError {
  const reason = "replicas are renewing their sessions after an outage";
  return unavailable(reason, Math.ceil(Math.min(restMs, leaseMs)));
}

function unavailable(reason: string, retryAfterMs: number): ReplicaError {
  const message = `is unavailable because the gateway replica that owns its session is unknown: ${reason}`;
  return new ReplicaError("unavailable", message, { retryAfterMs });
}

async function orUnavailable<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ReplicaError) throw error;
    const isRefusal = error instanceof Error && error.name === "ReplyError";
    throw unavailable(isRefusal ? "Redis rejected the request" : "Redis does not answer", 1_000);
  }
}

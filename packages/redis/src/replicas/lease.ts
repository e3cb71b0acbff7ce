// The lease of this replica in Redis, by which it owns its sessions.
//
// A session has one owner at a time. Two clocks matter: that of this process, which never jumps and counts while the process stands
// still, and that of Redis, which removes expired keys. Only their rates are compared, and `marginMs` allows for differences.
//
// 1. This replica judges by its own clock. It is valid until `validMs` after it *sent* the last heartbeat that Redis confirmed. A
//    heartbeat is one script: it requires the lease, extends it by `leaseMs`, and removes the mark of suspicion. An `acquire` does
//    the same, so its answer counts for `validMs`, too. A longer stall therefore always leads back to Redis.
// 2. Another replica takes a session only if the owner's lease is missing in Redis. The lease goes in one of two ways:
//    - It expires, `leaseMs` after a heartbeat arrived. The owner stopped being valid before, as `validMs + marginMs < leaseMs`.
//    - It is revoked (suspicion.ts). The mark was set, and is unchanged `validMs + marginMs` later. So no heartbeat arrived after
//      the mark, and all those that arrived before no longer count. Replicas of earlier builds remove no marks and are not revoked.
// 3. A lease that was missing (Redis lost its data, or 2 happened) is valid again only after all sessions were recorded again and
//    those of other owners were given up. A session that is still owned is never taken again from another replica, not even from one
//    that is gone: its state here would be old. For the same reason, a replica that was not valid at some moment since then gives up
//    sessions of which there is no record: another replica may have had them before Redis lost its data. After a failover or a restart
//    of Redis it gives up all, since the records may be older than their next owners.
// 4. A Redis that comes back without data, or a stand-by that lacks the last writes, has forgotten owners that count themselves
//    valid for another `validMs`. So a replica takes no session for `validMs + marginMs` after each connect. After an outage of all
//    replicas, a quiet period of `leaseMs + validMs` lets each one record its sessions first.
// 5. While Redis is away, evidence of the other replicas may extend 1. It excludes 2, as they promise to take nothing (evidence.ts).
//    A replica without a lease is not asked for evidence. So one that was without a lease, or may have been because a heartbeat had no
//    reply, introduces itself to the others and takes nothing before.
//
// Redis removes expired keys by the clock of its machine. If that clock jumps forward by more than `leaseMs - validMs` at once, a
// session can have two owners for the rest of `validMs`.
//
// The scripts use keys that depend on each other. In a Redis Cluster they are in one slot, and its primary is the Redis of these rules: that
// the slot has another primary is for them a failover.
import { type Clock, every } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";
import type { Evidence } from "./evidence.ts";
import { renewText } from "./lease-scripts.ts";
import type { Membership } from "./membership.ts";
import type { OwnedSessions } from "./owned-sessions.ts";
import type { Restraint } from "./restraint.ts";
import type { Timings } from "./timings.ts";

export interface LeaseOptions {
  readonly connection: RedisLink;
  readonly clock: Clock;
  readonly self: string;
  /** The value of the lease. */
  readonly entry: string;
  readonly timings: Timings;
  readonly evidence: Evidence;
  readonly restraint: Restraint;
  readonly sessions: OwnedSessions;
  readonly membership: Membership;
  onProblem(problem: string): void;
}

/** A heartbeat that is this part of its validity old is overdue. */
const overduePart = 0.6;
/** Sessions that live on are recorded again after this part of the time for which Redis remembers them. */
const recordPart = 1 / 3;
const maxRounds = 3;
const never = Number.NEGATIVE_INFINITY;

export class Lease {
  readonly #options: LeaseOptions;
  readonly #renewIn: Script;
  readonly #leaseKey: string;
  readonly #markKey: string;
  #stopRenewing: (() => void) | undefined;
  #renewal: Promise<void> | undefined;
  #refresh: Promise<void> | undefined;
  #startedAt = never;
  #hasLeft = false;
  #hasReportedRefusal = false;
  #mustIdentify = true;
  /** Whether Redis may lack records of sessions, or have other owners for them. */
  #mustRecord = true;
  #isRecording = false;
  /** Whether others may have taken sessions since they were last recorded. */
  #hasLapsed = false;
  /** The instance of Redis that has the records. */
  #instance: string | undefined;
  /** Whether the sessions were recorded in another instance, of which this one may be an older copy. */
  #hasMoved = false;
  #recordedAt = never;
  /** When the last heartbeat that Redis confirmed was sent. */
  #renewedAt = never;

  constructor(options: LeaseOptions) {
    this.#options = options;
    const { connection, self } = options;
    this.#renewIn = createScript(connection, renewText);
    this.#leaseKey = connection.nameOf(`lease:${self}`);
    this.#markKey = connection.nameOf(`suspect:${self}`);
  }

  /** Takes the lease. Rejects when Redis does not answer. */
  async start(): Promise<void> {
    const { connection, clock, timings, membership } = this.#options;
    this.#startedAt = clock.now();
    connection.client.on("ready", this.#onReady);
    await this.renew();
    await membership.start();
    this.#stopRenewing = every(clock, timings.heartbeatMs, () => this.#renewInBackground());
  }

  /** The keys of the lease and of its mark of suspicion. */
  get keys(): readonly [string, string] {
    return [this.#leaseKey, this.#markKey];
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether this replica owns its sessions, judged without asking Redis. */
  isValid(): boolean {
    return !this.#hasLeft && this.#options.clock.now() < this.#options.evidence.permitUntil();
  }

  /**
   * Whether this replica was not valid, has reached Redis again, and has not recorded its sessions there. Until then, an answer that it
   * owns a session may come from a copy of Redis that is older than the next owner.
   */
  get mayBeSucceeded(): boolean {
    return (this.#mustRecord || this.#isRecording) && !this.isValid();
  }

  /** False when a heartbeat is overdue. */
  get isRenewed(): boolean {
    const { clock, timings } = this.#options;
    return clock.now() - this.#renewedAt < timings.validMs * overduePart;
  }

  /** How long ago the last heartbeat that Redis confirmed was sent, in ms. */
  get ageMs(): number {
    return Math.round(this.#options.clock.now() - this.#renewedAt);
  }

  /** When the lease expires unless a heartbeat has arrived since the last one that Redis confirmed, in ms from now. */
  get expiresMs(): number {
    return Math.max(0, this.#renewedAt + this.#options.timings.leaseMs - this.#options.clock.now());
  }

  /** Concurrent callers share one renewal. Rejects when Redis is away. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewNow().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Records all sessions again: Redis has no record of one of them. */
  recordSessions(): Promise<void> {
    this.#mustRecord = true;
    return this.renew();
  }

  /** Deletes the lease: other replicas may acquire all sessions of this one, which acquires no more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#stopRenewing?.();
    this.#options.connection.client.off("ready", this.#onReady);
    await this.#renewal?.catch(() => {});
    await this.#options.membership.leave(this.keys).catch(() => {});
  }

  /** The connection may lead to another Redis, which does not know all sessions of this replica. */
  readonly #onReady = (): void => {
    this.#mustRecord = true;
    this.#mustIdentify = true;
    this.#options.restraint.beginAfterConnect();
    this.#renewInBackground();
  };

  #renewInBackground(): void {
    this.renew().then(
      () => {
        this.#hasReportedRefusal = false;
        const { clock, timings } = this.#options;
        // Redis was slow: this renewal may prove nothing any more.
        if (clock.now() - this.#renewedAt >= timings.heartbeatMs && !this.#hasLeft) this.#renewInBackground();
      },
      (error: Error) => this.#reportRefusal(error),
    );
  }

  async #renewNow(): Promise<void> {
    const { clock, timings, evidence } = this.#options;
    for (let round = 0; round < maxRounds && !this.#hasLeft; round += 1) {
      const sentAt = clock.now();
      await this.#renewOnce();
      if (!this.#mustRecord) {
        this.#renewedAt = sentAt;
        evidence.confirm(sentAt + timings.validMs);
        if (sentAt - this.#recordedAt >= timings.rememberMs * recordPart) this.#refreshRecords();
        return;
      }
      await this.#recordSessions();
      this.#recordedAt = sentAt;
    }
  }

  async #recordSessions(): Promise<void> {
    const { sessions } = this.#options;
    if (!this.isValid()) this.#hasLapsed = true;
    this.#mustRecord = false;
    this.#isRecording = true;
    try {
      await this.#identify();
      // Its records may be older than the owners that followed this one.
      if (this.#hasLapsed && this.#hasMoved) await sessions.loseAll();
      await sessions.record(this.keys, !this.#hasLapsed);
      this.#hasLapsed = false;
      this.#hasMoved = false;
    } catch (error) {
      this.#mustRecord = true;
      throw error;
    } finally {
      this.#isRecording = false;
    }
  }

  /** Notices that the connection leads to another instance of Redis: after a failover, or after a restart. */
  async #identify(): Promise<void> {
    if (!this.#mustIdentify) return;
    this.#mustIdentify = false;
    try {
      const info = String(await this.#options.connection.client.call("INFO", "server"));
      const instance = /^run_id:(\S+)/m.exec(info)?.[1];
      if (instance === undefined || instance !== this.#instance) this.#hasMoved = true;
      this.#instance = instance;
    } catch (error) {
      this.#mustIdentify = true;
      throw error;
    }
  }

  /** Redis forgets owners that are not recorded again. Heartbeats continue meanwhile. */
  #refreshRecords(): void {
    const startedAt = this.#options.clock.now();
    this.#refresh ??= this.#options.sessions
      .record(this.keys, this.isValid())
      .then(
        () => {
          this.#recordedAt = startedAt;
        },
        () => {},
      )
      .finally(() => {
        this.#refresh = undefined;
      });
  }

  async #renewOnce(): Promise<void> {
    const { connection, clock, entry, timings, membership, restraint } = this.#options;
    const isFirst = this.#renewedAt === never;
    const keys = [this.#leaseKey, connection.nameOf("anybody"), connection.nameOf("quiet"), this.#markKey];
    // A replica that takes its first lease owned nothing for which others would have to wait.
    const quietMs = isFirst ? 0 : timings.quietMs;
    // Until now it took no sessions, so others that return may still need the quiet period.
    const isSettled = clock.now() - this.#startedAt >= timings.validMs + timings.marginMs;
    let result: unknown;
    try {
      result = await this.#renewIn(keys, [entry, timings.leaseMs, quietMs, isSettled ? 1 : 0]);
    } catch (error) {
      // It may have found no lease and taken one, which the next renewal would take for the old one.
      this.#mustRecord = true;
      restraint.requireIntroduction();
      throw error;
    }
    if (result !== 1) {
      this.#mustRecord = true;
      // No replica has a lease: this may be the first replica of all, or Redis has lost its data.
      if (isFirst && result === 0) restraint.beginAfterConnect();
      if (!isFirst) restraint.requireIntroduction();
    }
    if (!isFirst && restraint.lacksIntroduction) membership.introduceInBackground();
  }

  /** Reports an error reply of Redis, once until a renewal succeeds. The connection itself reports that Redis is away. */
  #reportRefusal(error: Error): void {
    if (error.name !== "ReplyError" || this.#hasReportedRefusal) return;
    this.#hasReportedRefusal = true;
    this.#options.onProblem(
      `Redis rejected the lease renewal of this replica: ${error.message}; without it, other replicas take over its sessions within ${this.#options.timings.leaseMs} ms`,
    );
  }
}

// The lease of this replica in PostgreSQL, by which it owns its sessions.
//
// A session has one owner at a time. Two clocks matter: that of this process, which never jumps and counts while the process stands still, and
// that of the database. Only their rates are compared, and the difference between `validMs` and `leaseMs` allows for differences.
//
// 1. This replica judges by its own clock. It is valid until `validMs` after it *sent* the last renewal that PostgreSQL confirmed. A renewal
//    extends a lease only if the lease is running by the clock of the database, so that a late one has no effect.
// 2. The row of a session names a lease. Another replica takes the session only if that lease is over, and replaces only that lease in the row.
//    It ends the lease first, if that has expired by the clock of the database. This happens `leaseMs` after a renewal arrived, so the owner
//    stopped being valid before, as `validMs` is less than `leaseMs`. A renewal and the end of a lease change one row: one of them is first,
//    and the other one sees it.
// 3. A lease that is over never runs again. A replica whose lease has expired begins another one and moves its sessions to it. A row that names
//    a former lease of this replica was not taken meanwhile, so the state of its session here is the latest. The others are lost.
// 4. After an outage of the database all leases have expired. A replica takes no session from an expired lease for `leaseMs` after each
//    connect and after its own lease had expired, so that each one finds its sessions as it left them.
// 5. A database may have forgotten the last owners: the stand-by that replaces a primary may lack its last commits, and tables may be emptied
//    by hand. So a replica acquires no session at a server that it does not know, nor without the marker of its lease. It then finds its own
//    sessions first, and takes no other one for `settleMs`. Former owners are not valid any more by then, or have found theirs, too.
//
// If the clock of the database's machine jumps forward by more than `leaseMs - validMs` at once, a session can have two owners for the rest of
// `validMs`. So can a session that a stand-by records for a former owner which had no lease when the primary failed (docs/gateway/replicas.md).
import { type Clock, every } from "@lethe/server/stores";
import { PostgresUnavailableError } from "../connection/postgres-error.ts";
import type { PostgresLink } from "../connection/postgres-link.ts";
import {
  type BegunLease,
  beginLease,
  endLeases,
  findLease,
  type RenewedLease,
  readHistory,
  renewLease,
} from "./directory-statements.ts";
import type { OwnedSessions } from "./owned-sessions.ts";
import type { Timings } from "./timings.ts";

export interface LeaseOptions {
  readonly postgres: Pick<PostgresLink, "prefix" | "isUp" | "run" | "onResubscribed">;
  readonly clock: Clock;
  readonly self: string;
  /** The fingerprints of the keys of this replica. */
  readonly entry: string;
  readonly timings: Timings;
  readonly sessions: OwnedSessions;
  /** Called when PostgreSQL rejects a renewal, once until one succeeds, and then with undefined. */
  onRefused(reason: string | undefined): void;
}

/** Former leases whose sessions may still be adopted. The oldest is forgotten first, and with it its sessions. */
const maxFormer = 100;
/** A lease that is this part of its length old is renewed while sessions are adopted. */
const renewPart = 0.3;
const never = Number.NEGATIVE_INFINITY;

export class Lease {
  readonly #options: LeaseOptions;
  #id: string | undefined;
  #count = 0;
  /** Leases that have expired, and to which rows of sessions of this replica may belong. */
  #former: string[] = [];
  #validUntil = never;
  /** When the last renewal that PostgreSQL confirmed was sent. */
  #renewedAt = never;
  #takesAfter = never;
  #settlesAt = never;
  /** The server that confirmed the lease, and the history of its data if that is known. */
  #server: string | undefined;
  #history: string | undefined;
  #mustVerify = false;
  #renewal: Promise<void> | undefined;
  #hasLeft = false;
  #isRefused = false;
  #stops: (() => void)[] = [];

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Begins the lease. Rejects when PostgreSQL does not answer. */
  async start(): Promise<void> {
    const { postgres, clock, timings } = this.#options;
    await this.renew();
    this.#stops = [
      every(clock, timings.renewMs, () => this.#renewInBackground()),
      postgres.onResubscribed(() => this.#reconnected()),
    ];
  }

  /** The current lease. Undefined while it has expired and the next one has not begun. */
  get id(): string | undefined {
    return this.#id;
  }

  /** The server that confirmed the lease. */
  get server(): string {
    return this.#server ?? "";
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Whether this replica owns its sessions, judged without asking PostgreSQL. */
  isValid(): boolean {
    return !this.#hasLeft && this.#options.clock.now() < this.#validUntil;
  }

  /** How long this replica must not take sessions from expired leases, in ms. */
  restMs(): number {
    return Math.max(0, this.#takesAfter - this.#options.clock.now());
  }

  /** How long this replica must take no sessions at all, because the database may have forgotten their owners, in ms. */
  settleMs(): number {
    return Math.max(0, this.#settlesAt - this.#options.clock.now());
  }

  /** How long ago the last renewal that PostgreSQL confirmed was sent, in ms. */
  get ageMs(): number {
    return Math.round(this.#options.clock.now() - this.#renewedAt);
  }

  /** When the lease expires unless a renewal has arrived since the last one that PostgreSQL confirmed, in ms from now. */
  get expiresMs(): number {
    return Math.max(0, this.#renewedAt + this.#options.timings.leaseMs - this.#options.clock.now());
  }

  /** Concurrent callers share one renewal. Rejects when PostgreSQL is away. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewNow().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Ends the lease: other replicas may acquire all sessions of this one, which acquires no more. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    for (const stop of this.#stops) stop();
    await this.#renewal?.catch(() => {});
    await this.#options.sessions.released();
    await this.#end(this.#id === undefined ? this.#former : [...this.#former, this.#id], true).catch(() => {});
  }

  /** The database may have been away for longer than all leases, or another one may answer, which lacks the last changes. */
  #reconnected(): void {
    this.#takesAfter = this.#options.clock.now() + this.#options.timings.leaseMs;
    this.#mustVerify = true;
    this.#renewInBackground();
  }

  #renewInBackground(): void {
    this.renew().then(
      () => this.#report(undefined),
      (error: Error) => {
        if (this.#isRefusal(error)) this.#report(error.message);
      },
    );
  }

  /** The connection itself reports that PostgreSQL is away. One that is read-only, full or locked does answer. */
  #isRefusal(error: Error): boolean {
    if (!(error instanceof PostgresUnavailableError)) return true;
    return error.code !== undefined && this.#options.postgres.isUp && !this.isValid();
  }

  #report(reason: string | undefined): void {
    if (this.#isRefused === (reason !== undefined)) return;
    this.#isRefused = reason !== undefined;
    this.#options.onRefused(reason);
  }

  async #renewNow(): Promise<void> {
    if (this.#hasLeft) return;
    const sentAt = this.#options.clock.now();
    if (this.#id === undefined) return this.#begin();
    const renewed = await this.#extend(this.#id);
    if (!renewed?.hasMarker) {
      if (renewed || !(await this.#isRecorded(this.#id))) this.#settle();
      return this.#begin();
    }
    await this.#recognize(renewed.server);
    if (this.#mustVerify) await this.#verify(this.#id);
    this.#confirm(sentAt);
  }

  async #verify(lease: string): Promise<void> {
    this.#mustVerify = false;
    await this.#options.sessions.verify(lease).catch((error: unknown) => {
      this.#mustVerify = true;
      throw error;
    });
  }

  /** Returns undefined if the lease is not running. */
  async #extend(lease: string): Promise<RenewedLease | undefined> {
    const { postgres, timings } = this.#options;
    return (await postgres.run<RenewedLease>(renewLease, [postgres.prefix, lease, timings.leaseMs]))[0];
  }

  async #isRecorded(lease: string): Promise<boolean> {
    const { postgres } = this.#options;
    return (await postgres.run(findLease, [postgres.prefix, lease])).length === 1;
  }

  /** The database may have forgotten who owns which session. */
  #settle(): void {
    this.#settlesAt = this.#options.clock.now() + this.#options.timings.settleMs;
  }

  /** Notices that another server answers, which may lack the last commits unless it is the same one after a restart. */
  async #recognize(server: string): Promise<void> {
    if (server === this.#server) return;
    const history = await this.#readHistory();
    if (this.#server !== undefined) {
      this.#mustVerify = true;
      if (history === undefined || history !== this.#history) this.#settle();
    }
    this.#server = server;
    this.#history = history;
  }

  async #readHistory(): Promise<string | undefined> {
    try {
      const [row] = await this.#options.postgres.run<{ history: string | null }>(readHistory, []);
      return row?.history ?? undefined;
    } catch (error) {
      if (error instanceof PostgresUnavailableError) throw error;
      return undefined;
    }
  }

  #confirm(sentAt: number): void {
    this.#renewedAt = sentAt;
    this.#validUntil = sentAt + this.#options.timings.validMs;
  }

  /** Begins another lease and moves the sessions to it. This replica owns nothing until that is done. */
  async #begin(): Promise<void> {
    const { postgres, clock, self, entry, timings, sessions } = this.#options;
    if (this.#id !== undefined) this.#former.push(this.#id);
    this.#former = this.#former.slice(-maxFormer);
    this.#id = undefined;
    this.#validUntil = never;
    this.#takesAfter = clock.now() + timings.leaseMs;
    this.#count += 1;
    const lease = `${self}.${this.#count}`;
    let sentAt = clock.now();
    const values = [postgres.prefix, lease, self, entry, timings.leaseMs];
    const [begun] = await postgres.run<BegunLease>(beginLease, values);
    // From here on rows may belong to it, also if this attempt fails.
    const former = this.#former;
    this.#former = [...former, lease];
    if (begun?.lacksMarkers) this.#settle();
    await this.#recognize(begun?.server ?? "");
    const extend = async (): Promise<void> => {
      const at = clock.now();
      if (!(await this.#extend(lease)))
        throw new PostgresUnavailableError("a lease expired while sessions were moved to it");
      sentAt = at;
    };
    await sessions.adopt(former, lease, async () => {
      if (clock.now() - sentAt > timings.leaseMs * renewPart) await extend();
    });
    if (former.length > 0) {
      await this.#end(former, false);
      await extend();
    }
    this.#former = [];
    this.#id = lease;
    this.#mustVerify = false;
    this.#confirm(sentAt);
    // Counted from the end, so that others which begin at the same time have found their sessions, too.
    this.#takesAfter = clock.now() + timings.leaseMs;
  }

  async #end(leases: readonly string[], hasLeft: boolean): Promise<void> {
    const { postgres } = this.#options;
    if (leases.length > 0) await postgres.run(endLeases, [postgres.prefix, leases, hasLeft]);
  }
}

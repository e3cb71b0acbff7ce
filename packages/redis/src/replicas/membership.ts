// The other replicas of the gateway, as Redis lists them: reports who joined, left or was lost.
import { ListDelay } from "@lethe/server/forwarding";
import { type Clock, every } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";
import type { Evidence, Member } from "./evidence.ts";
import { parseLeaseEntry } from "./lease-entry.ts";
import { leaveText, listText } from "./membership-scripts.ts";
import type { Restraint } from "./restraint.ts";
import type { Suspicion } from "./suspicion.ts";
import type { Timings } from "./timings.ts";

/** `left`: it stopped in order, or Redis lost its record. `lost`: it was killed, stands still or is cut off from Redis, and lost its sessions. */
export interface ReplicaChange {
  readonly kind: "joined" | "left" | "lost";
  readonly replica: string;
  /** How many other replicas have a lease now. */
  readonly others: number;
}

export interface MembershipOptions {
  readonly connection: RedisLink;
  readonly clock: Clock;
  readonly self: string;
  readonly entry: string;
  readonly timings: Timings;
  readonly evidence: Evidence;
  readonly restraint: Restraint;
  readonly suspicion: Suspicion;
  onChange(change: ReplicaChange): void;
  /** Called with each replica that should list this one soon. */
  announce?(replica: string): void;
  /** Called with each list of the other replicas that have a lease. */
  onListed?: ((members: readonly ListedMember[]) => void) | undefined;
}

/** Another replica, with its address for direct connections. */
export interface ListedMember extends Member {
  readonly direct: string | undefined;
}

interface Listed extends ListedMember {
  readonly hasLease: boolean;
  /** How long ago its last heartbeat arrived at Redis, in ms. Not positive for an earlier build, of which that is unknown. */
  readonly ageMs: number;
}

const maxListed = 1_000;
/** Replicas that announce themselves to each other. In a larger fleet, each knows many others. */
const maxAnnounced = 20;
/** How long Redis remembers a replica that did not leave in order, in ms. */
const recordMs = 600_000;
/** The interval of lists grows with the number of replicas, in ms per replica. */
const paceMs = 10;
const unlisted: Member = { replica: "an earlier build", address: undefined };

export class Membership {
  readonly #options: MembershipOptions;
  readonly #list: Script;
  readonly #leave: Script;
  /** Whether each known replica has a lease. Undefined before the first list. */
  #known: Map<string, boolean> | undefined;
  readonly #delay: ListDelay;
  /** Replicas whose heartbeat was overdue when they were last listed. */
  #overdue: ReadonlySet<string> = new Set();
  /** Replicas of the last minutes, as a Redis that lost its data no longer lists them. */
  readonly #remembered = new Map<string, { readonly address: string | undefined; readonly seenAt: number }>();
  #others = 0;
  #lost = 0;
  #isLooking = false;
  #isClosed = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #stopLooking: (() => void) | undefined;
  #cancelSoon: (() => void) | undefined;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#delay = new ListDelay(options.timings.leaseMs);
    this.#list = createScript(options.connection, listText);
    this.#leave = createScript(options.connection, leaveText);
  }

  /** How many other replicas have a lease. */
  get others(): number {
    return this.#others;
  }

  /** The ids of the other replicas that have a lease. */
  get alive(): readonly string[] {
    return [...(this.#known ?? [])].filter(([, hasLease]) => hasLease).map(([replica]) => replica);
  }

  /** Whether a replica had a lease and sent heartbeats when they were last listed, and was not lost since. */
  isListed(replica: string): boolean {
    return this.#known?.get(replica) === true && !this.#overdue.has(replica);
  }

  /** How many replicas were lost since this one started. */
  get lost(): number {
    return this.#lost;
  }

  /** Lists the replicas and introduces this one to them. Rejects when Redis does not answer. */
  async start(): Promise<void> {
    await this.introduce();
    const { clock, timings } = this.#options;
    this.#stopLooking = every(clock, timings.listEveryMs, () => void this.#look());
  }

  introduceInBackground(): void {
    // Redis is away again: the next renewal that succeeds introduces this replica.
    this.introduce().catch(() => {});
  }

  introduce(): Promise<void> {
    return this.#options.restraint.during(this.#introduce());
  }

  async #introduce(): Promise<void> {
    const listed = await this.#readList();
    // One that knows no other replica, and loses Redis before its next list, would serve sessions that this one takes.
    if (this.#isSmall) for (const { replica, hasLease } of listed) if (hasLease) this.#options.announce?.(replica);
    await this.#options.evidence.introduce(this.#recall());
  }

  /** This replica has joined: it is listed within a heartbeat, at a time that differs between replicas. */
  announced(replica: string): void {
    const { clock, timings } = this.#options;
    if (this.#known?.get(replica) === true || this.#cancelSoon || this.#isClosed || !this.#isSmall) return;
    this.#cancelSoon = clock.after(Math.random() * timings.heartbeatMs, () => {
      this.#cancelSoon = undefined;
      // Redis is away, which the connection reports.
      this.#readList().catch(() => {});
    });
  }

  /** A message to this replica had no receiver: its process has probably ended. */
  suspect(replica: string): void {
    this.#options.suspicion.suspect(replica).then(
      (isRevoked) => isRevoked && this.#onRevoked(replica),
      () => {},
    );
  }

  #onRevoked(replica: string): void {
    if (this.#isClosed || this.#known?.get(replica) === false) return;
    this.#known?.set(replica, false);
    this.#others = Math.max(0, this.#others - 1);
    this.#report("lost", replica);
  }

  async leave(leaseKeys: readonly [string, string]): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking?.();
    this.#cancelSoon?.();
    this.#options.suspicion.close();
    const [lease, mark] = leaseKeys;
    const { connection, self } = this.#options;
    await this.#leave([lease, this.#recordKey, mark, connection.nameOf("replicas")], [self]);
  }

  get #recordKey(): string {
    return this.#options.connection.nameOf(`member:${this.#options.self}`);
  }

  async #look(): Promise<void> {
    const { clock, connection } = this.#options;
    if (this.#isLooking || clock.now() - this.#lookedAt < this.#everyMs - 1) return;
    this.#isLooking = true;
    try {
      const alive = (await this.#readList()).filter(({ hasLease }) => hasLease).map(({ replica }) => replica);
      if (alive.length === 0 || this.#isClosed) return;
      const counts = await connection.subscribersOf(alive.map((replica) => `replica:${replica}`));
      for (const [index, replica] of alive.entries()) if (counts[index] === 0) this.suspect(replica);
    } catch {
      // Redis is away, which the connection reports.
    } finally {
      this.#isLooking = false;
    }
  }

  /** More replicas that join together, as after a loss of Redis, would keep it too busy for heartbeats with their messages and lists. */
  get #isSmall(): boolean {
    return (this.#known?.size ?? 0) <= maxAnnounced;
  }

  get #everyMs(): number {
    return Math.max(this.#options.timings.listEveryMs, (this.#known?.size ?? 0) * paceMs);
  }

  async #readList(): Promise<Listed[]> {
    const { connection, clock, self, entry, evidence, timings } = this.#options;
    const sentAt = clock.now();
    this.#lookedAt = sentAt;
    const keys = [
      connection.nameOf("replicas"),
      this.#recordKey,
      connection.nameOf("anybody"),
      connection.nameOf("earlier"),
    ];
    const args = [self, entry, connection.nameOf("lease:"), connection.nameOf("member:"), recordMs, maxListed];
    const [hasUnlisted, ...reply] = (await this.#list(keys, args)) as [number, ...(string | number)[]];
    const listed: Listed[] = [];
    for (let index = 0; index < reply.length; index += 4)
      listed.push(toListed(reply.slice(index, index + 4) as [string, string, string, number]));
    if (this.#isClosed) return [];
    this.#remember(listed, sentAt);
    this.#compare(listed);
    const { validMs, marginMs } = timings;
    this.#overdue = new Set(listed.filter(({ ageMs }) => ageMs > validMs + marginMs).map(({ replica }) => replica));
    const members = listed.filter(({ hasLease }) => hasLease);
    this.#options.onListed?.(members);
    evidence.observe({ sentAt, members: hasUnlisted === 1 ? [...members, unlisted] : members });
    return listed;
  }

  #remember(listed: readonly Listed[], seenAt: number): void {
    for (const { replica, address } of listed) {
      this.#remembered.delete(replica);
      this.#remembered.set(replica, { address, seenAt });
    }
    for (const [replica, one] of this.#remembered) {
      if (this.#remembered.size <= maxListed && seenAt - one.seenAt < recordMs) break;
      this.#remembered.delete(replica);
    }
  }

  #recall(): Member[] {
    return [...this.#remembered].map(([replica, { address }]) => ({ replica, address }));
  }

  #compare(listed: readonly Listed[]): void {
    const before = this.#known;
    const isUndecided = this.#delay.isUndecided(this.#options.clock.now(), this.#everyMs);
    const isKept = ({ replica, hasLease }: Listed): boolean =>
      hasLease || (isUndecided && before?.get(replica) === true);
    this.#known = new Map(listed.map((one) => [one.replica, isKept(one)]));
    this.#others = [...this.#known.values()].filter((hasLease) => hasLease).length;
    if (!before) return;
    for (const [replica, hasLease] of this.#known) {
      if (hasLease && before.get(replica) !== true) this.#report("joined", replica);
      if (!hasLease && before.get(replica) === true) this.#report("lost", replica);
    }
    for (const [replica, hadLease] of before) if (hadLease && !this.#known.has(replica)) this.#report("left", replica);
  }

  #report(kind: ReplicaChange["kind"], replica: string): void {
    if (kind === "lost") this.#lost += 1;
    this.#options.onChange({ kind, replica, others: this.#others });
  }
}

function toListed([replica, lease, record, remainingMs]: [string, string, string, number]): Listed {
  const { address, direct, leaseMs } = parseLeaseEntry(lease || record);
  return { replica, address, direct, hasLease: lease !== "", ageMs: (leaseMs ?? remainingMs) - remainingMs };
}

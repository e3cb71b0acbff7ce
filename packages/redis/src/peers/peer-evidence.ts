// Evidence from the other replicas while Redis is away: a replica keeps its sessions for as long as no other replica can take them.
//
// A replica asks every member directly whether it reaches Redis. A member that answers "no" promises to take no session of another
// replica for `permitMs` after it received the question. The asking replica counts that time from before it sent the question, so
// its permit ends first. The permit ends when the promise of any member ends. Clocks of machines may differ; only their rates matter,
// and `promiseMarginPart` allows for those.
//
// Why no session has two owners. Replica A, valid by Redis until V, keeps serving after V only if it had an unexpired promise of every
// member at each moment from V on. Replica B takes a session only while it has no open promise (`promisedUntil`). If B is a member of A,
// the two exclude each other. If B joined after A lost Redis, `introduce` makes B a member of A before B takes anything.
//
// What remains: B cannot reach A either, as all replicas that know A are also cut off from Redis. Then B takes sessions after three attempts.
import { type Clock, every, type KeyRing, systemClock } from "@lethe/server/stores";
import { type Known, type Member, Members, type Membership, type PeersView } from "./members.ts";
import { createPeerMessages, type PeerMessages } from "./peer-messages.ts";
import type { PeerTransport } from "./peer-transport.ts";

export interface PeerEvidenceOptions {
  readonly self: string;
  /** The keys of the deployment. */
  readonly ring: KeyRing;
  readonly transport: PeerTransport;
  /** The address at which other replicas reach this one. Undefined while it is unknown. */
  address(): string | undefined;
  /** The connection to Redis. */
  readonly link: { readonly isUp: boolean };
  onProblem(problem: string): void;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** How long a permit lasts after the question, and this replica after a heartbeat that Redis confirmed, in ms. Default 700. */
  readonly permitMs?: number;
  /** The interval of questions while this replica does not reach Redis, in ms. Default 100. */
  readonly askEveryMs?: number;
}

/** A quiet period after an outage must be longer than the promise that follows from it (`toPromiseMs`). */
const defaultPermitMs = 700;
const promiseMarginPart = 0.1;
/** Members are asked when this part of the time is left for which Redis confirmed this replica. */
const doubtPart = 0.4;
/** Replicas to which a joining replica introduces itself. */
const maxRecorded = 1_000;
/** The interval of questions grows with the number of members, in ms per member. */
const pacePerMemberMs = 2;
/** An unanswered question is repeated after this time, in ms. */
const patienceMs = 300;
const maxIntroductions = 3;
/** A member that never answered is asked again after this time while Redis works, in ms. */
const proveEveryMs = 5_000;

/** How long a replica that answered "no" takes no sessions, in ms. */
export function toPromiseMs(permitMs: number = defaultPermitMs): number {
  return permitMs * (1 + promiseMarginPart);
}

export async function createPeerEvidence(options: PeerEvidenceOptions): Promise<PeerEvidence> {
  return new PeerEvidence(options, await createPeerMessages(options.ring, options.self));
}

export class PeerEvidence {
  readonly #options: PeerEvidenceOptions;
  readonly #messages: PeerMessages;
  readonly #clock: Clock;
  readonly #permitMs: number;
  readonly #cancel: () => void;
  readonly #members = new Members();
  #confirmedUntil = Number.NEGATIVE_INFINITY;
  #validUntil = Number.NEGATIVE_INFINITY;
  #promisedUntil = Number.NEGATIVE_INFINITY;
  #introductions = 0;
  #isIntroduced = false;
  #isClosed = false;
  #hasReportedSilence = false;

  constructor(options: PeerEvidenceOptions, messages: PeerMessages) {
    const { clock = systemClock, permitMs = defaultPermitMs, askEveryMs = 100 } = options;
    this.#options = options;
    this.#messages = messages;
    this.#clock = clock;
    this.#permitMs = permitMs;
    this.#cancel = every(clock, askEveryMs, () => this.#look());
  }

  /**
   * Redis has confirmed a heartbeat of this replica, which makes it valid until `validUntil`, by its own clock. Only this restores a
   * permit that lapsed.
   */
  confirm(validUntil: number): void {
    this.#confirmedUntil = validUntil;
    this.#validUntil = Math.max(this.#validUntil, validUntil);
  }

  /** Whether Redis answers this replica and accepts its heartbeats. */
  get hasRedis(): boolean {
    const doubtsFrom = this.#confirmedUntil - this.#permitMs * doubtPart;
    return this.#options.link.isUp && this.#clock.now() < doubtsFrom;
  }

  /** Replaces the members, except those that introduced themselves after the renewal was sent. */
  observe(membership: Membership): void {
    this.#members.replace(this.#options.self, membership, this.#clock.now());
  }

  /**
   * Until when no other replica takes sessions of this one, by its own clock: the time of `confirm`, or later while all members
   * promise so without a gap.
   */
  permitUntil(): number {
    return this.#validUntil;
  }

  /**
   * Until when this replica must not take a session of another one, nor revoke its lease, by its own clock. Check it again when
   * the reply of Redis arrives: a promise may have been made meanwhile. Infinity until this replica has introduced itself.
   */
  promisedUntil(): number {
    return this.#introductions > 0 || !this.#isIntroduced ? Number.POSITIVE_INFINITY : this.#promisedUntil;
  }

  /** What the members say about Redis. */
  view(): PeersView {
    return this.#members.view(this.#clock.now());
  }

  /** How many other replicas this one knows. */
  get size(): number {
    return this.#members.size;
  }

  /**
   * Makes this replica known to replicas that may hold a permit: call it after each renewal that found no lease of this replica
   * (also the first), with all replicas of which Redis has a record. It adds those that it knew in the last 10 minutes. Until it
   * resolves, and for the time of a promise after that, this replica takes no session of another one. Replicas that do not answer
   * three times are left out.
   */
  async introduce(recorded: readonly Member[]): Promise<void> {
    const known = [...recorded.slice(0, maxRecorded), ...this.#members.recent(this.#clock.now())];
    const targets = new Map(known.map(({ replica, address }) => [replica, address]));
    targets.delete(this.#options.self);
    this.#isIntroduced = true;
    if (targets.size === 0) return;
    this.#introductions += 1;
    try {
      await Promise.all([...targets].map(([replica, address]) => this.#introduceTo(replica, address)));
    } finally {
      this.#introductions -= 1;
      this.#promise();
    }
  }

  /** Answers a question from the listener. Returns undefined for a text that is none, or that is not for this replica. */
  answer(text: string): string | undefined {
    if (this.#isClosed) return undefined;
    const question = this.#messages.openQuestion(text);
    if (!question) return undefined;
    const { from, nonce, introduces } = question;
    const now = this.#clock.now();
    if (introduces !== undefined) this.#members.add(from, introduces, now).introducedAt = now;
    const { hasRedis } = this;
    // The promise precedes the answer.
    if (!hasRedis) this.#promise();
    return this.#messages.sealAnswer(from, { nonce, hasRedis });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#members.clear();
  }

  #promise(): void {
    this.#promisedUntil = Math.max(this.#promisedUntil, this.#clock.now() + toPromiseMs(this.#permitMs));
  }

  #look(): void {
    const now = this.#clock.now();
    const { hasRedis } = this;
    if (!hasRedis && this.#members.isAlone) this.#extend(now, now + this.#permitMs);
    const paceMs = Math.min(patienceMs, this.#members.size * pacePerMemberMs);
    for (const [replica, known] of this.#members) {
      const provingMs = known.isProven ? Number.POSITIVE_INFINITY : proveEveryMs;
      const waitMs = hasRedis ? provingMs : known.isAsked ? patienceMs : paceMs;
      if (now - known.askedAt >= waitMs) void this.#ask(replica, known);
    }
  }

  async #ask(replica: string, known: Known): Promise<void> {
    const sentAt = this.#clock.now();
    known.askedAt = sentAt;
    if (known.address === undefined) return;
    known.isAsked = true;
    const outcome = await this.#exchange(replica, known.address);
    known.isAsked = false;
    if (!this.#members.has(replica, known)) return;
    if (outcome === "silent" || (outcome === "refused" && !known.isProven)) return this.#reportSilence(replica, known);
    if (outcome !== "refused") known.isProven = true;
    known.answeredAt = this.#clock.now();
    known.hasRedis = outcome === "has redis";
    if (known.hasRedis) return;
    known.promisedUntil = Math.max(known.promisedUntil, sentAt + this.#permitMs);
    this.#extend(this.#clock.now(), this.#members.promisedUntil());
  }

  /** Extends the permit unless it lapsed. */
  #extend(now: number, until: number): void {
    if (now < this.#validUntil) this.#validUntil = Math.max(this.#validUntil, until);
  }

  async #introduceTo(replica: string, address: string | undefined): Promise<void> {
    if (address === undefined) return;
    for (let attempt = 0; attempt < maxIntroductions && !this.#isClosed; attempt += 1) {
      const outcome = await this.#exchange(replica, address, this.#options.address() ?? "");
      if (outcome !== "silent") return;
    }
  }

  async #exchange(
    replica: string,
    address: string,
    introduces?: string,
  ): Promise<"has redis" | "lacks redis" | "refused" | "silent"> {
    const nonce = crypto.randomUUID();
    const question = this.#messages.sealQuestion(replica, { nonce, ...(introduces !== undefined && { introduces }) });
    try {
      const text = await this.#options.transport.ask(address, question);
      const answer = this.#messages.openAnswer(text, replica);
      if (answer?.nonce !== nonce) return "silent";
      return answer.hasRedis ? "has redis" : "lacks redis";
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "refused" : "silent";
    }
  }

  /** A replica that is starting joins before it listens, so the first silence means nothing. */
  #reportSilence(replica: string, known: Known): void {
    if (known.isProven || this.#hasReportedSilence || !this.hasRedis) return;
    if (!known.wasSilent) {
      known.wasSilent = true;
      return;
    }
    this.#hasReportedSilence = true;
    this.#options.onProblem(
      `replica ${replica.slice(0, 8)} does not answer at ${known.address} with these keys; if Redis is away, this replica gives up its sessions: check that LETHE_KEYS is the same and that the clocks agree, and set gateway.redis.address of that replica to an address that the others reach`,
    );
  }
}

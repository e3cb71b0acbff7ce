// What this replica knows about the room of the others for new sessions: tells them its own, and reads theirs, every 1.5 s. Without the
// shared state it knows nothing after 4 s, and sessions open where their first requests arrive.
import { type Clock, every, type Placement, systemClock } from "@lethe/server/stores";
import { type Candidate, chooseReplica } from "./choose-replica.ts";
import { digestOf, formatRoom, parseRoom, type ReplicaRoom, type UpstreamRoom } from "./replica-room.ts";

export interface RoomExchangeOptions {
  readonly placement: Placement;
  /** The id of this replica. */
  readonly self: string;
  /** The upstreams that may get sessions here, by their names in the directory. */
  read(): Iterable<readonly [upstream: string, room: UpstreamRoom]>;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** Returns numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Why a session opens at another replica: this one is stopping, is full, or has much less room. */
export type HandOverReason = "draining" | "full" | "crowded";

/** A replica that was chosen for a new session. */
export interface HandOver {
  readonly replica: string;
  /** It handles the request. */
  accepted(): void;
  /** It cannot be reached, or has no room: no other session is sent there before its next note. */
  refused(): void;
}

const exchangeEveryMs = 1_500;
/** How long a note counts, in ms: in the shared state, and after it was read. */
const noteTtlMs = 4_000;
/** Other replicas whose notes are read at a time. Of more, random ones are. */
const maxNotes = 100;

export class RoomExchange {
  readonly counts: Record<HandOverReason, number> = { draining: 0, full: 0, crowded: 0 };
  readonly #options: RoomExchangeOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stop: () => void;
  #others: ReadonlyMap<string, ReplicaRoom> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  /** Sessions that were handed on since the notes were read, by replica and upstream. Infinite after a refusal. */
  readonly #taken = new Map<string, number>();
  #isDraining = false;
  #isExchanging = false;
  /** This replica began to stop during an exchange. */
  #isOutdated = false;

  constructor(options: RoomExchangeOptions) {
    const { clock = systemClock, random = Math.random } = options;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#stop = every(clock, exchangeEveryMs, () => void this.exchange());
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** This replica is stopping: it opens no session that another one has room for, and tells the others at once. */
  drain(): void {
    this.#isDraining = true;
    this.#isOutdated = this.#isExchanging;
    void this.exchange();
  }

  /**
   * Chooses another replica for a session of this upstream, among those whose free share is above 0 and at least `minShare`. Undefined if
   * there is none.
   */
  choose(upstream: string, reason: HandOverReason, minShare = 0): HandOver | undefined {
    const digest = digestOf(upstream);
    const candidates = this.#candidates(digest).filter(({ freeShare }) => freeShare >= minShare);
    const chosen = chooseReplica(candidates, this.#random);
    if (!chosen) return undefined;
    const { replica } = chosen;
    const place = placeOf(replica, digest);
    this.#taken.set(place, (this.#taken.get(place) ?? 0) + 1);
    return {
      replica,
      accepted: () => {
        this.counts[reason] += 1;
      },
      refused: () => void this.#taken.set(place, Number.POSITIVE_INFINITY),
    };
  }

  /** The number of other replicas that have room for sessions of each upstream that may get some here. */
  get replicasWithRoom(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      [...this.#options.read()].map(([upstream]) => [upstream, this.#candidates(digestOf(upstream)).length]),
    );
  }

  /** Tells the others about this replica, and reads their notes. Never rejects. */
  async exchange(): Promise<void> {
    if (this.#isExchanging) return;
    const upstreams = new Map([...this.#options.read()].map(([upstream, room]) => [digestOf(upstream), room]));
    // A gateway whose upstreams have no sessions needs to know nothing.
    if (upstreams.size === 0) return;
    this.#isExchanging = true;
    const note = formatRoom({ isDraining: this.#isDraining, upstreams });
    try {
      this.#receive(await this.#options.placement.exchange(note, { ttlMs: noteTtlMs, max: maxNotes }));
    } catch {
      // The shared state is out of reach, which its connection reports.
    } finally {
      this.#isExchanging = false;
    }
    if (!this.#isOutdated) return;
    this.#isOutdated = false;
    await this.exchange();
  }

  close(): void {
    this.#stop();
    this.#others = new Map();
  }

  #receive(notes: ReadonlyMap<string, string>): void {
    const others = new Map<string, ReplicaRoom>();
    for (const [replica, note] of notes) {
      const room = replica === this.#options.self || others.size >= maxNotes ? undefined : parseRoom(note);
      if (room) others.set(replica, room);
    }
    this.#others = others;
    this.#readAt = this.#clock.now();
    this.#taken.clear();
  }

  #candidates(digest: string): Candidate[] {
    if (this.#clock.now() - this.#readAt > noteTtlMs) return [];
    const candidates: Candidate[] = [];
    for (const [replica, { isDraining, upstreams }] of this.#others) {
      const room = isDraining ? undefined : upstreams.get(digest);
      if (!room) continue;
      const free = room.max - room.used - (this.#taken.get(placeOf(replica, digest)) ?? 0);
      if (free > 0) candidates.push({ replica, freeShare: free / room.max });
    }
    return candidates;
  }
}

function placeOf(replica: string, digest: string): string {
  return `${replica} ${digest}`;
}

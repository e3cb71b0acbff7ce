// Detects that a replica, with which this one exchanges requests, has failed. The shared store reports at once that a killed process does not
// receive. A replica that only stops answering, because its machine is gone or stalled, gets more time. While the shared store stands still
// or is away, silence proves nothing: so pings without a reply are counted, and not the time. Those that were held back together count as
// one, also where this process stood still itself.
import { type Clock, every } from "../../clock/clock.ts";
import { type Carrier, DirectClosedError } from "./carrier.ts";
import type { Message } from "./message.ts";
import type { CallTimings } from "./timings.ts";

export interface FailureDetectorOptions {
  readonly messaging: Pick<Carrier<Message>, "send">;
  readonly clock: Clock;
  /** The periodic check runs ten times in `silenceMs`. */
  readonly timings: CallTimings;
}

/** What the owner of a detector does with it. */
export interface Watching {
  /** Called periodically between `begin` and `end`: pings the replicas that matter. */
  look(): void;
  /** A ping had no receiver: the process has probably ended. */
  onMissed?(replica: string): void;
  onFailed(replica: string, failure: Failure): void;
}

/** `silent`: the replica has ended, or does not answer. `unreached`: the shared store did not take the pings to it. */
export type Failure = "silent" | "unreached";

interface Watched {
  receivedAt: number;
  /** Pings since the last message of the replica. */
  pings: number;
  /** How many of them were delivered. */
  unanswered: number;
  /** How many deliveries without a reply show that it has failed. */
  maxUnanswered: number;
  deliveredAt: number;
  /** How many pings in a row had no subscriber. */
  misses: number;
  missedAt: number;
  /** Until when no miss counts. */
  excusedUntil: number;
}

/** How often the periodic check runs in `silenceMs`. */
const looksPerSilence = 10;
/** One miss may be a reconnect. */
const maxMisses = 2;
/** A living replica that has lost its lease answers one of these further pings. */
const silentLooks = 2;
/** Replicas reconnect to a shared store that stood still within this part of `silenceMs`. */
const reconnectPart = 0.5;

export class FailureDetector {
  readonly everyMs: number;
  readonly #options: FailureDetectorOptions;
  readonly #watched = new Map<string, Watched>();
  #watching: Watching | undefined;
  #stopLooking: (() => void) | undefined;

  constructor(options: FailureDetectorOptions) {
    this.#options = options;
    this.everyMs = options.timings.silenceMs / looksPerSilence;
  }

  /** Starts the periodic check unless it runs. */
  begin(watching: Watching): void {
    if (this.#stopLooking) return;
    this.#watching = watching;
    this.#stopLooking = every(this.#options.clock, this.everyMs, () => watching.look());
  }

  /** Stops the periodic check and forgets all replicas. */
  end(): void {
    this.#stopLooking?.();
    this.#stopLooking = undefined;
    this.#watched.clear();
  }

  /** Sends a message that a living replica answers. */
  ping(replica: string, message: Message): void {
    const { messaging, clock, timings } = this.#options;
    const peer = this.#watch(replica);
    const isSilent = peer.unanswered >= peer.maxUnanswered;
    if (isSilent || peer.pings * this.everyMs >= timings.outageMs) {
      this.#lose(replica, isSilent ? "silent" : "unreached");
      return;
    }
    peer.pings += 1;
    const sentAt = clock.now();
    messaging.send(replica, message).then(
      (receivers) => this.#onSent(replica, peer, sentAt, receivers),
      (error: unknown) => {
        // The shared store is away: `outageMs` decides.
        if (!(error instanceof DirectClosedError)) this.#excuse(peer);
      },
    );
  }

  receivedFrom(replica: string): void {
    const peer = this.#watched.get(replica);
    if (peer) clearSuspicion(peer, this.#options.clock.now());
  }

  /** The replica has lost its lease: it has failed unless it answers soon. A shared store that lost its data, or stood still, ends leases, too. */
  suspect(replica: string): void {
    const peer = this.#watched.get(replica);
    if (peer) peer.maxUnanswered = Math.min(peer.maxUnanswered, peer.unanswered + silentLooks);
  }

  /** How long the replica has sent nothing, in ms, counted from the first ping. */
  silenceOf(replica: string): number {
    return this.#options.clock.now() - this.#watch(replica).receivedAt;
  }

  #onSent(replica: string, peer: Watched, sentAt: number, receivers: number): void {
    const now = this.#options.clock.now();
    if (now - sentAt >= this.everyMs) this.#excuse(peer);
    if (receivers === 0) this.#onMissed(replica, peer, sentAt);
    else {
      peer.misses = 0;
      // The reply may have arrived before.
      if (sentAt < Math.max(peer.receivedAt, peer.deliveredAt)) return;
      peer.unanswered += 1;
      peer.deliveredAt = now;
    }
  }

  #onMissed(replica: string, peer: Watched, sentAt: number): void {
    const now = this.#options.clock.now();
    if (sentAt >= peer.missedAt && now >= peer.excusedUntil) {
      peer.misses += 1;
      peer.missedAt = now;
    }
    this.#watching?.onMissed?.(replica);
    if (peer.misses >= maxMisses && this.#watched.get(replica) === peer) this.#lose(replica, "silent");
  }

  /** The connections of all replicas to a shared store that stood still may have ended, too. */
  #excuse(peer: Watched): void {
    const { clock, timings } = this.#options;
    peer.excusedUntil = clock.now() + timings.silenceMs * reconnectPart;
    peer.misses = 0;
  }

  #watch(replica: string): Watched {
    const known = this.#watched.get(replica);
    if (known) return known;
    const never = Number.NEGATIVE_INFINITY;
    const times = { receivedAt: this.#options.clock.now(), deliveredAt: never, missedAt: never, excusedUntil: never };
    const made: Watched = { pings: 0, unanswered: 0, maxUnanswered: looksPerSilence, misses: 0, ...times };
    this.#watched.set(replica, made);
    return made;
  }

  #lose(replica: string, failure: Failure): void {
    this.#watched.delete(replica);
    this.#watching?.onFailed(replica, failure);
  }
}

/** The replica has just sent a message. */
function clearSuspicion(peer: Watched, receivedAt: number): void {
  peer.receivedAt = receivedAt;
  peer.pings = 0;
  peer.unanswered = 0;
  peer.maxUnanswered = looksPerSilence;
  peer.misses = 0;
}

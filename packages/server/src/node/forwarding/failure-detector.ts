// Detects that a replica, with which this one exchanges requests, has failed. Redis reports at once that a killed process has no
// subscription. A replica that only stops answering, because its machine is gone or stalled, gets more time. While the shared store is away,
// silence proves little.
import { type Clock, every } from "../../clock/clock.ts";
import type { Carrier } from "./carrier.ts";
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
  onFailed(replica: string): void;
}

interface Watched {
  receivedAt: number;
  /** When the first ping was sent that has no reply. */
  pingedAt: number | undefined;
  /** When the first ping was delivered that has no reply. A shared store that stood still delivers long after `pingedAt`. */
  deliveredAt: number | undefined;
  /** How many pings in a row had no subscriber. Of those that a shared store held back together, one counts. */
  misses: number;
  missedAt: number;
}

/** One miss may be a reconnect. */
const maxMisses = 2;

export class FailureDetector {
  readonly everyMs: number;
  readonly #options: FailureDetectorOptions;
  readonly #watched = new Map<string, Watched>();
  #watching: Watching | undefined;
  #stopLooking: (() => void) | undefined;

  constructor(options: FailureDetectorOptions) {
    this.#options = options;
    this.everyMs = options.timings.silenceMs / 10;
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
    const now = clock.now();
    const peer = this.#watch(replica);
    peer.pingedAt ??= now;
    if (now - (peer.deliveredAt ?? now) >= timings.silenceMs || now - peer.pingedAt >= timings.outageMs) {
      this.#lose(replica);
      return;
    }
    messaging.send(replica, message).then(
      (receivers) => this.#onSent(replica, peer, now, receivers),
      // The shared store is away: `outageMs` decides.
      () => {},
    );
  }

  receivedFrom(replica: string): void {
    const peer = this.#watched.get(replica);
    if (!peer) return;
    peer.receivedAt = this.#options.clock.now();
    peer.pingedAt = undefined;
    peer.deliveredAt = undefined;
    peer.misses = 0;
  }

  /** How long the replica has sent nothing, in ms, counted from the first ping. */
  silenceOf(replica: string): number {
    return this.#options.clock.now() - this.#watch(replica).receivedAt;
  }

  #onSent(replica: string, peer: Watched, sentAt: number, receivers: number): void {
    const now = this.#options.clock.now();
    if (receivers > 0) peer.misses = 0;
    else if (sentAt >= peer.missedAt) {
      peer.misses += 1;
      peer.missedAt = now;
    }
    if (receivers === 0) this.#watching?.onMissed?.(replica);
    // The reply may have arrived before.
    if (receivers > 0 && sentAt >= peer.receivedAt) peer.deliveredAt ??= now;
    if (peer.misses >= maxMisses && this.#watched.get(replica) === peer) this.#lose(replica);
  }

  #watch(replica: string): Watched {
    const known = this.#watched.get(replica);
    if (known) return known;
    const now = this.#options.clock.now();
    const unanswered = { pingedAt: undefined, deliveredAt: undefined };
    const made: Watched = { receivedAt: now, ...unanswered, misses: 0, missedAt: Number.NEGATIVE_INFINITY };
    this.#watched.set(replica, made);
    return made;
  }

  #lose(replica: string): void {
    this.#watched.delete(replica);
    this.#watching?.onFailed(replica);
  }
}

// Decides which calls may be in progress together at a server that does not show which call an elicitation belongs to. On
// stdio and HTTP+SSE nothing on the wire shows it. A call that may ask therefore runs alone, so that a request of the server
// certainly belongs to it. While its caller answers, calls without input requests may run. Calls of one conversation never wait for
// each other.
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";
import { SparseMap, SparseSet } from "../call/sparse-collections.ts";
import { TransportError } from "../call/transport-error.ts";
import { type Call, isForeign } from "./call.ts";
import { type CancelledCall, CancelledCalls } from "./cancelled-calls.ts";

export interface TurnOptions {
  /** How long a call waits for its turn, in milliseconds; then it fails as "busy". Default: as long as the call may take. */
  turnWaitMs?: number;
  /** How many calls may wait for their turn. Default 1,000. */
  maxWaitingCalls?: number;
}

export interface TurnContext extends TurnOptions {
  readonly peer: string;
  /** False where the wire usually shows which call a request belongs to. */
  readonly isAlwaysNeeded: boolean;
  /** True for calls of tools that are known to ask. */
  isAsking(call: CancelledCall): boolean;
}

interface Waiter {
  readonly call: Call;
  go(): void;
  fail(error: TransportError): void;
}

export class Turns {
  /** Cancelled calls that the server may still be working on. */
  readonly cancelled: CancelledCalls;
  readonly #peer: string;
  readonly #isAsking: (call: CancelledCall) => boolean;
  readonly #turnWaitMs: number;
  readonly #maxWaiting: number;
  readonly #exclusive: SparseSet<Call> = new SparseSet();
  /** Shared calls in progress without a conversation. */
  #sharedAlone = 0;
  /** Shared calls in progress, counted by conversation. */
  readonly #shared: SparseMap<string, number> = new SparseMap();
  readonly #waiting: SparseMap<Call, Waiter> = new SparseMap();
  readonly #resuming: SparseMap<Call, Waiter> = new SparseMap();
  #isNeeded: boolean;
  #isClosed = false;

  constructor({ peer, isAlwaysNeeded, isAsking, turnWaitMs, maxWaitingCalls }: TurnContext) {
    this.#peer = peer;
    this.#isNeeded = isAlwaysNeeded;
    this.#isAsking = isAsking;
    this.#turnWaitMs = turnWaitMs ?? Number.POSITIVE_INFINITY;
    this.#maxWaiting = maxWaitingCalls ?? 1_000;
    this.cancelled = new CancelledCalls(isAsking, () => this.#wake());
  }

  /** Calls that may ask are in progress or wait, and others may have to wait for them. */
  get isTaken(): boolean {
    return this.#isNeeded && (this.#exclusive.size > 0 || this.#waiting.size > 0);
  }

  /** Undefined when the call may begin at once. Else resolves when it may, or rejects with TransportError. */
  begin(call: Call): Promise<void> | undefined {
    if (call.turn === "none") return undefined;
    if (this.#hasLostTrack(call)) return Promise.reject(this.#lostTrack());
    const isFree = this.#waiting.size === 0 && this.#resuming.size === 0 && this.#mayBegin(call);
    if (!this.#isNeeded || this.#isClosed || isFree) {
      this.#join(call);
      return undefined;
    }
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(this.#busy(`${this.#maxWaiting} calls wait for another one that may ask`));
    }
    const onLate = ({ fail }: Waiter): void =>
      fail(this.#busy(`another call that may ask was in progress for ${this.#turnWaitMs} ms`));
    return this.#wait(call, this.#waiting, { onTurn: () => this.#join(call), onLate });
  }

  /** The caller has an open input request. */
  pause(call: Call): void {
    call.isPaused = true;
    this.#wake();
  }

  /** The caller has answered. Undefined if the call may continue at once. Resolves after `turnWaitMs` at the latest. */
  resume(call: Call): Promise<void> | undefined {
    if (!this.#isNeeded || call.turn !== "exclusive" || this.#mayResume(call)) {
      call.isPaused = false;
      return undefined;
    }
    const onTurn = (): void => {
      call.isPaused = false;
    };
    return this.#wait(call, this.#resuming, { onTurn, onLate: ({ go }) => go() });
  }

  /** The call has sent an input request and may send more. */
  asked(call: Call): void {
    if (call.turn === "exclusive" || !call.isSent) return;
    this.#part(call);
    call.turn = "exclusive";
    this.#join(call);
  }

  /** The server has answered the call. */
  end(call: Call): void {
    this.cancelled.settle(call.id);
    this.#part(call);
    this.#wake();
  }

  /** The call was cancelled. */
  leave(call: Call): void {
    const waiter = this.#waiting.get(call) ?? this.#resuming.get(call);
    waiter?.fail(new TransportError("cancelled", "cancelled by the caller"));
    if (call.isSent && call.turn !== "none") this.cancelled.add(call);
    this.#part(call);
    this.#wake();
  }

  /** From now on calls take turns: the wire does not show which call a request belongs to. */
  require(): void {
    this.#isNeeded = true;
  }

  /** The connection has ended: waiting calls fail, and later calls do not wait. */
  close(error: TransportError): void {
    this.#isClosed = true;
    for (const { fail } of [...this.#waiting.values(), ...this.#resuming.values()]) fail(error);
    this.cancelled.clear();
  }

  #join(call: Call): void {
    call.hasTurn = true;
    const { turn, conversation } = call;
    if (turn === "exclusive") this.#exclusive.add(call);
    else if (conversation === undefined) this.#sharedAlone += 1;
    else this.#shared.set(conversation, (this.#shared.get(conversation) ?? 0) + 1);
  }

  #part(call: Call): void {
    if (!call.hasTurn) return;
    call.hasTurn = false;
    const { conversation } = call;
    if (this.#exclusive.delete(call)) return;
    if (conversation === undefined) {
      this.#sharedAlone -= 1;
      return;
    }
    const count = this.#shared.get(conversation) ?? 1;
    if (count === 1) this.#shared.delete(conversation);
    else this.#shared.set(conversation, count - 1);
  }

  /** Whether another conversation has a call in progress that may ask, paused or not. */
  #hasExclusive(call: Call, isPaused: boolean): boolean {
    for (const other of this.#exclusive) if (isForeign(other, call) && other.isPaused === isPaused) return true;
    return false;
  }

  /** Whether another conversation has a call in progress that does not ask. */
  #hasShared({ conversation }: Call): boolean {
    if (this.#sharedAlone > 0) return true;
    return this.#shared.size > (conversation !== undefined && this.#shared.has(conversation) ? 1 : 0);
  }

  #mayBegin(call: Call): boolean {
    if (this.#hasExclusive(call, false)) return false;
    if (call.turn === "shared") return true;
    return !(this.#hasExclusive(call, true) || this.#hasShared(call) || this.cancelled.hasFresh(call));
  }

  /** Paused calls do not wait for each other: each could wait for the other's user. */
  #mayResume(call: Call): boolean {
    return !this.#hasExclusive(call, false) && !this.#hasShared(call);
  }

  #wake(): void {
    for (const { call, go } of this.#resuming.values()) if (this.#mayResume(call)) go();
    if (this.#resuming.size > 0) return;
    for (const { call, go, fail } of this.#waiting.values()) {
      if (this.#hasLostTrack(call)) fail(this.#lostTrack());
      else if (this.#mayBegin(call)) go();
      // First come, first served. A call whose user must answer may take long, so calls that need not wait for it overtake.
      else if (!this.#hasExclusive(call, true)) return;
    }
  }

  /** `onLate` runs after `turnWaitMs`. */
  #wait(
    call: Call,
    queue: SparseMap<Call, Waiter>,
    { onTurn, onLate }: { onTurn: () => void; onLate: (waiter: Waiter) => void },
  ): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      let timer: BackgroundTimer | undefined;
      const stopWaiting = (): void => {
        clearTimeout(timer);
        queue.delete(call);
      };
      const waiter: Waiter = {
        call,
        go() {
          stopWaiting();
          onTurn();
          resolve();
        },
        fail(error) {
          stopWaiting();
          reject(error);
        },
      };
      queue.set(call, waiter);
      const isBounded = Number.isFinite(this.#turnWaitMs);
      if (isBounded) timer = startBackgroundTimer(() => this.#endWait(waiter, onLate), this.#turnWaitMs);
      this.#wake();
    });
  }

  #endWait(waiter: Waiter, onLate: (waiter: Waiter) => void): void {
    onLate(waiter);
    this.#wake();
  }

  /** An elicitation of this call could also belong to a cancelled call of another caller. */
  #hasLostTrack(call: Call): boolean {
    if (!this.#isNeeded || this.cancelled.size === 0 || call.turn !== "exclusive") return false;
    return this.#isAsking(call) && this.cancelled.hasStale(call);
  }

  #lostTrack(): TransportError {
    const what = `${this.#peer} may still ask for a call that was cancelled: begin another connection for calls that ask`;
    return new TransportError("lost_track", what);
  }

  #busy(what: string): TransportError {
    const message = `${this.#peer} does not say which call asks its caller, and ${what}`;
    const isBounded = Number.isFinite(this.#turnWaitMs);
    return new TransportError("busy", message, isBounded ? { retryAfterMs: this.#turnWaitMs } : {});
  }
}

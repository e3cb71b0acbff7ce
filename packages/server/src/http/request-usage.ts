// What one request uses of the limits: a slot, and bytes of the memory budget, both counted for its party.
import type { MemoryHolding, RequestId } from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer } from "./answers.ts";
import type { ArrivingBody } from "./arriving-bodies.ts";
import type { FairLimit } from "./fair-limit.ts";
import type { HttpEdge } from "./http-edge.ts";
import { MemoryShare } from "./memory-share.ts";
import type { Party } from "./party.ts";
import { toShareRefusal, toSlowBodyRefusal } from "./refusals.ts";

/** The request. */
export interface UsageOwner {
  readonly edge: HttpEdge;
  readonly id: RequestId | undefined;
  readonly isEnded: boolean;
  answer(answer: HttpAnswer): void;
  cutOff(): void;
}

export class RequestUsage implements ArrivingBody {
  older: ArrivingBody | undefined = undefined;
  newer: ArrivingBody | undefined = undefined;
  since = -1;
  readonly #owner: UsageOwner;
  /** The party that the request counts for. Undefined while neither caller nor client address is known. */
  #party: Party | undefined = undefined;
  /** The limit of which the request holds a slot. */
  #limit: FairLimit | undefined = undefined;
  /** Undefined for small bodies, which are not counted. */
  #holding: MemoryHolding | undefined = undefined;
  #share: MemoryShare | undefined = undefined;
  /** What the request has begun still runs, so that slot and bytes stay counted. */
  #isRetained = false;
  #isReleased = false;

  constructor(owner: UsageOwner) {
    this.#owner = owner;
  }

  /** The caller or the body is not complete yet. */
  get isReceiving(): boolean {
    return this.#limit === this.#owner.edge.receiving;
  }

  /** The bytes that are counted for the request. */
  get heldBytes(): number {
    return this.#holding?.bytes ?? 0;
  }

  /** Counts the request for this party from now on, and moves its slot there. Returns false, with a 429 or 503, if none is free. */
  countFor(party: Party | undefined, limit: FairLimit): boolean {
    this.#releaseSlot();
    this.#party = party;
    return this.takeSlot(limit);
  }

  /** Releases the slot that the request holds and takes one of this limit. Returns false, with a 429 or 503, if none is free. */
  takeSlot(limit: FairLimit): boolean {
    this.#releaseSlot();
    if (limit.take(this.#party) || this.#takeFromSlowest(limit)) {
      this.#limit = limit;
      return true;
    }
    this.#owner.answer(toErrorAnswer(limit.refusal(this.#party), this.#owner.id));
    return false;
  }

  #takeFromSlowest(limit: FairLimit): boolean {
    const { bodies, receiving } = this.#owner.edge;
    return limit === receiving && limit.isOwed(this.#party) && bodies.dropSlowest() && limit.take(this.#party);
  }

  makeRoom(): void {
    this.#owner.answer(toSlowBodyRefusal());
  }

  /**
   * Counts the bytes of an arriving body. Returns false when the body must not grow: the memory budget cut the request off, or
   * the request has ended, for example with a 408, and nothing would release the bytes that still arrive.
   */
  holdBody(bytes: number): boolean {
    if (this.#owner.isEnded || !this.takeShare(2 * bytes)) return false;
    // Counted twice: the pieces, and the text that is made of them.
    return this.#hold().set(2 * bytes);
  }

  /** Counts the whole request until it ends. Returns false when the budget has no room for it. */
  holdRequest(bytes: number): boolean {
    if (!this.#owner.edge.settings.memory.hasRoomFor(bytes - this.heldBytes)) return false;
    const holding = this.#hold();
    holding.pin();
    return holding.set(bytes);
  }

  /** Counts the bytes for the party. Returns false, with a 429, when that exceeds its share. */
  takeShare(bytes: number): boolean {
    this.#share ??= new MemoryShare();
    if (this.#share.fits(bytes, this.#party, this.#owner.edge.settings.memory)) {
      this.#share.set(bytes, this.#party);
      return true;
    }
    this.#owner.answer(toShareRefusal(this.#party?.kind));
    return false;
  }

  /** Counts slot and bytes until the returned function is called, even if the request ends before. */
  retain(): () => void {
    this.#isRetained = true;
    return () => {
      this.#isRetained = false;
      if (this.#isReleased) this.release();
    };
  }

  release(): void {
    this.#isReleased = true;
    if (this.#isRetained) {
      // The connection, which the budget would close, may serve another request by now.
      this.#holding?.pin();
      return;
    }
    this.#holding?.release();
    this.#share?.release();
    this.#releaseSlot();
  }

  #hold(): MemoryHolding {
    this.#holding ??= this.#owner.edge.settings.memory.hold("requests", () => this.#owner.cutOff());
    return this.#holding;
  }

  #releaseSlot(): void {
    this.#owner.edge.bodies.delete(this);
    this.#limit?.release(this.#party);
    this.#limit = undefined;
  }
}

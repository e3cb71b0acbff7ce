// Limits how many of one thing are open at a time, in total and for each party, so that one party never takes all slots.
import { type McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import type { Party } from "./party.ts";

/** What a rejected client is told to wait, in ms. */
const retryAfterMs = 1_000;

/**
 * A party may hold this many times as many slots as are free: one caller gets at most half of what others leave, and one
 * address, which may be that of a proxy, four fifths.
 */
export const shareOfFree = { caller: 1, address: 4 } as const;

export interface FairLimitOptions {
  /** Where a `Party` counts what it holds of this limit. */
  index: 0 | 1 | 2;
  /** What is limited, in the plural. */
  what: string;
  max: number;
  /** Default: as many as are free. */
  maxPerCaller?: number | undefined;
  /** Default: four times as many as are free. */
  maxPerAddress?: number | undefined;
}

export class FairLimit {
  readonly #index: number;
  readonly #what: string;
  readonly #max: number;
  readonly #maxPer: Readonly<Record<Party["kind"], number | undefined>>;
  #taken = 0;

  constructor({ index, what, max, maxPerCaller, maxPerAddress }: FairLimitOptions) {
    this.#index = index;
    this.#what = what;
    this.#max = max;
    this.#maxPer = { caller: maxPerCaller, address: maxPerAddress };
  }

  /** Takes a slot. False when there is none, or none for this party; `refusal` then says which. */
  take(party: Party | undefined): boolean {
    const free = this.#max - this.#taken;
    if (free <= 0) return false;
    if (party) {
      const held = this.#heldBy(party);
      if (held >= this.#boundOf(party, free)) return false;
      party.held[this.#index] = held + 1;
    }
    this.#taken += 1;
    return true;
  }

  /** All slots are taken, but the party would get the next one that is released. */
  isOwed(party: Party | undefined): boolean {
    return this.#taken >= this.#max && (!party || this.#heldBy(party) < this.#boundOf(party, 1));
  }

  release(party: Party | undefined): void {
    this.#taken -= 1;
    if (party) party.held[this.#index] = this.#heldBy(party) - 1;
  }

  /** 503 when all slots are taken, 429 when the party has its share. */
  refusal(party: Party | undefined): McpError {
    const [max, what] = [this.#max, this.#what];
    if (!party || this.#taken >= max) return overloaded(`busy: at most ${max} ${what} at a time`, retryAfterMs);
    const own = this.#maxPer[party.kind];
    const bound = own === undefined ? `its share of ${max}` : `at most ${own}`;
    const held = this.#heldBy(party);
    return tooManyRequests(`busy: this ${party.kind} has ${held} of ${bound} ${what}`, retryAfterMs);
  }

  #heldBy(party: Party): number {
    return party.held[this.#index] ?? 0;
  }

  #boundOf({ kind }: Party, free: number): number {
    return this.#maxPer[kind] ?? shareOfFree[kind] * free;
  }
}

// Limits how many requests or streams are open, in total and per party, so that one party cannot take all slots.
import { type McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import type { Party } from "./party.ts";

/** The `Retry-After` of a rejected request. */
const retryAfterMs = 1_000;

/**
 * The slots that a party may hold, as a multiple of the free slots. A single caller therefore gets at most half of all slots, and
 * a single address, which may be that of a proxy, four fifths.
 */
export const shareOfFree = { caller: 1, address: 4 } as const;

export interface FairLimitOptions {
  /** The index in `Party.held`. */
  index: 0 | 1 | 2;
  /** Names what is limited, in the plural, for error messages. */
  what: string;
  max: number;
  /** Default: the number of free slots. */
  maxPerCaller?: number | undefined;
  /** Default: four times the number of free slots. */
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

  /** The number of slots that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot. Returns false if none is free, or none for this party; `refusal` then gives the error. */
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

  /** True if all slots are taken and the party may have the next one that is released. */
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

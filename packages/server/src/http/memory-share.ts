// What the requests of one party hold of the memory budget: at most a share of what is free, so that one party alone does not
// make the server refuse the others.
import type { MemoryBudget } from "@lethe/protocol";
import { shareOfFree } from "./fair-limit.ts";
import type { Party } from "./party.ts";

/** One request, or the body of one, counted for its party. */
export class MemoryShare {
  #party: Party | undefined;
  #bytes = 0;

  /**
   * Whether the party may hold so many bytes for this request. All its requests get as many bytes as are then free below the
   * soft mark, or four times as many if it is an address. A request that is the only one of its party is not limited here.
   */
  fits(bytes: number, party: Party | undefined, memory: MemoryBudget): boolean {
    if (!party) return true;
    const others = party.memoryHeld - this.#bytes;
    const free = memory.softBytes - memory.heldBytes + this.#bytes - bytes;
    return others <= 0 || others + bytes <= shareOfFree[party.kind] * free;
  }

  set(bytes: number, party: Party | undefined): void {
    this.release();
    if (!party) return;
    this.#party = party;
    this.#bytes = bytes;
    party.memoryHeld += bytes;
  }

  release(): void {
    if (this.#party) this.#party.memoryHeld -= this.#bytes;
    this.#party = undefined;
    this.#bytes = 0;
  }
}

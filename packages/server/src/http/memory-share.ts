// Limits the requests of one party to a share of the free memory budget, so that one party cannot make the server reject all
// others.
import type { MemoryBudget } from "@lethe/protocol";
import { shareOfFree } from "./fair-limit.ts";
import type { Party } from "./party.ts";

/** The bytes of one request, counted for its party. */
export class MemoryShare {
  #party: Party | undefined;
  #bytes = 0;

  /**
   * True if the party may hold this many bytes for the request. A caller may hold as many bytes as stay free below the soft mark, an
   * address four times as many. The only request of a party is not limited here.
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

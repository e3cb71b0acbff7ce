// The memory that the requests of one party may hold, and that nothing stays counted after they end.
import { MemoryBudget } from "@lethe/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { MemoryShare } from "./memory-share.ts";
import { Party, type PartyKind } from "./party.ts";

it("a party leaves a part of the memory to others, and nothing is counted after all requests have ended", () => {
  fc.assert(
    fc.property(
      fc.constantFrom<PartyKind>("caller", "address"),
      fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 20_000 }), fc.boolean()), { maxLength: 100 }),
      (kind, steps) => {
        const memory = new MemoryBudget(100_000);
        const party = new Party(kind, "greedy");
        const requests = Array.from({ length: 10 }, () => ({
          share: new MemoryShare(),
          holding: memory.hold("requests"),
        }));
        for (const [at, bytes, isEnd] of steps) {
          const { share, holding } = requests[at] as (typeof requests)[number];
          if (isEnd) {
            share.release();
            holding.set(0);
          } else if (share.fits(bytes, party, memory)) {
            share.set(bytes, party);
            holding.set(bytes);
          }
          expect(party.memoryHeld).toBe(memory.heldBytes);
          expect(memory.isTight).toBe(false);
          expect(new MemoryShare().fits(memory.softBytes / 20, new Party("caller", "new"), memory)).toBe(true);
        }
        for (const { share, holding } of requests) {
          share.release();
          holding.release();
        }
        expect([party.memoryHeld, memory.heldBytes]).toEqual([0, 0]);
      },
    ),
  );
});

it("the only request of a party and requests without a party are not limited", () => {
  const memory = new MemoryBudget(100);
  const share = new MemoryShare();
  expect(share.fits(100, new Party("caller", "a"), memory)).toBe(true);
  expect(share.fits(100, undefined, memory)).toBe(true);
});

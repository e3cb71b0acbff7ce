// How slots are shared between parties, and the errors of rejected requests.
import { refusalOf } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairLimit, type FairLimitOptions } from "./fair-limit.ts";
import { Party, type PartyKind } from "./party.ts";

function limitOf(options: Partial<FairLimitOptions> = {}): FairLimit {
  return new FairLimit({ index: 1, what: "running requests", max: 10, ...options });
}

function fill(limit: FairLimit, party: Party | undefined): number {
  let taken = 0;
  while (limit.take(party)) taken += 1;
  return taken;
}

describe("a fair limit", () => {
  it.each([
    ["caller", 1_000, 500],
    ["address", 1_000, 800],
    ["caller", 1, 1],
    ["address", 1, 1],
  ] as const)("gives one %s of %i slots %i", (kind, max, share) => {
    expect(fill(limitOf({ max }), new Party(kind, "a"))).toBe(share);
  });

  it("gives every slot to requests of no known party", () => {
    expect(fill(limitOf({ max: 10 }), undefined)).toBe(10);
  });

  it("applies the configured limit of a party", () => {
    const limit = limitOf({ maxPerCaller: 9, maxPerAddress: 1 });
    expect(fill(limit, new Party("address", "a"))).toBe(1);
    expect(fill(limit, new Party("caller", "a"))).toBe(9);
  });

  it("leaves a part of the free slots to other parties, however many are taken", () => {
    fc.assert(
      fc.property(fc.nat(990), fc.constantFrom<PartyKind>("caller", "address"), (before, kind) => {
        const max = 1_000;
        const limit = limitOf({ max });
        for (let count = 0; count < before; count += 1) limit.take(undefined);
        const share = kind === "caller" ? 1 / 2 : 4 / 5;
        expect(fill(limit, new Party(kind, "greedy"))).toBe(Math.ceil((max - before) * share));
        expect(limit.take(new Party("caller", "new"))).toBe(true);
      }),
    );
  });

  it("counts the same after any sequence of takes and releases", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.boolean())), (steps) => {
        const limit = limitOf({ max: 8, maxPerCaller: 5 });
        const parties = ["a", "b", "c", "d"].map((key) => new Party("caller", key));
        const open: Party[] = [];
        for (const [at, isTake] of steps) {
          const party = parties[at] as Party;
          if (!isTake && open.includes(party)) {
            limit.release(party);
            open.splice(open.indexOf(party), 1);
          } else if (limit.take(party)) open.push(party);
        }
        expect(open.length).toBeLessThanOrEqual(8);
        for (const party of open) limit.release(party);
        expect(parties.every(({ isIdle }) => isIdle)).toBe(true);
        expect(fill(limit, undefined)).toBe(8);
      }),
    );
  });

  it("answers 429 to a party with its share, and 503 when all slots are taken", () => {
    const limit = limitOf({ max: 4, maxPerAddress: 4 });
    const caller = new Party("caller", "ann");
    fill(limit, caller);
    const own = limit.refusal(caller);
    expect([refusalOf(own)?.status, own.message]).toEqual([
      429,
      "busy: this caller has 2 of its share of 4 running requests",
    ]);
    fill(limit, undefined);
    const all = limit.refusal(caller);
    expect([refusalOf(all)?.status, all.message]).toEqual([503, "busy: at most 4 running requests at a time"]);
  });
});

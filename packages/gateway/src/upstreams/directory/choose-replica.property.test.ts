// The choice of a replica for a new session, for any notes that replicas may have.
import type { Placement } from "@lethe/server/stores";
import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseReplica } from "./choose-replica.ts";
import { digestOf, formatRoom, type UpstreamRoom } from "./replica-room.ts";
import { RoomExchange } from "./room-exchange.ts";

const self = "self";
const share = fc.double({ min: 0, max: 1, noNaN: true });
const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const room: fc.Arbitrary<UpstreamRoom> = fc.record({ used: fc.nat(8), max: fc.integer({ min: 1, max: 8 }) });
const replica = fc.record({ isDraining: fc.boolean(), room: fc.option(room, { nil: undefined }) });
const fleet = fc.dictionary(fc.constantFrom(self, "a", "b", "c", "d"), replica, { noNullPrototype: true });

it("chooses the better one of two different candidates at random", () => {
  const candidates = fc.uniqueArray(fc.record({ replica: fc.uuid(), freeShare: share }), {
    selector: (candidate) => candidate.replica,
    maxLength: 20,
  });
  fc.assert(
    fc.property(candidates, chance, chance, (all, one, other) => {
      const draws = [one, other];
      const chosen = chooseReplica(all, () => draws.shift() ?? 0);
      if (all.length === 0) {
        expect(chosen).toBeUndefined();
        return;
      }
      const worse = all.filter(({ freeShare }) => freeShare <= (chosen?.freeShare ?? -1));
      // With two or more candidates, at least one other was no better.
      expect(worse.length).toBeGreaterThanOrEqual(Math.min(all.length, 2));
    }),
  );
});

it("chooses no replica that is draining, full or this one, and one that has room if there is any", async () => {
  await fc.assert(
    fc.asyncProperty(fleet, chance, fc.nat(10), async (replicas, random, sessions) => {
      const notes = new Map(
        Object.entries(replicas).map(([id, { isDraining, room: own }]) => [
          id,
          formatRoom({ isDraining, upstreams: new Map(own ? [[digestOf("up"), own]] : []) }),
        ]),
      );
      const placement: Placement = { exchange: async () => notes, isOwned: async () => false };
      const rooms = new RoomExchange({
        ...{ placement, self, random: () => random },
        read: () => [["up", { used: 1, max: 1 }]],
      });
      await rooms.exchange();
      const free = new Map<string, number>();
      for (const [id, { isDraining, room: own }] of Object.entries(replicas)) {
        if (id !== self && !isDraining && own && own.used < own.max) free.set(id, own.max - own.used);
      }
      for (let opened = 0; opened < sessions; opened += 1) {
        const chosen = rooms.choose("up", "full");
        const places = [...free.values()].reduce((sum, count) => sum + count, 0);
        if (places === 0) expect(chosen).toBeUndefined();
        else expect(free.get(chosen?.replica ?? "")).toBeGreaterThan(0);
        if (chosen) free.set(chosen.replica, (free.get(chosen.replica) ?? 0) - 1);
      }
      rooms.close();
    }),
  );
});

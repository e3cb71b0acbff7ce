// Requests of several callers at several replicas, concurrently and in any order: each caller has one session, wherever it opens.
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createReplicasWithRoom } from "../testing/replicas-with-room.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const names = ["one", "two", "three"];
const send = fc.record({ kind: fc.constant("send" as const), replica: fc.nat(2), caller: fc.nat(7) });
const exchange = fc.record({ kind: fc.constant("exchange" as const), replica: fc.nat(2) });
const drain = fc.record({ kind: fc.constant("drain" as const), replica: fc.nat(2) });
const wait = fc.record({ kind: fc.constant("wait" as const), replica: fc.constant(0) });
const step = fc.oneof(
  { arbitrary: send, weight: 8 },
  { arbitrary: exchange, weight: 3 },
  { arbitrary: wait, weight: 2 },
  { arbitrary: drain, weight: 1 },
);

it("gives each caller one session at one replica, runs each request once, and exceeds no limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const fleet = createReplicasWithRoom();
      const replicas = names.map((name) => fleet.add(name, { sessions: { max: 2, waitMs: 0 } }));
      await fleet.exchange();
      const sent: Promise<string | undefined>[] = [];
      for (const { kind, replica: index, ...rest } of steps) {
        const replica = replicas[index];
        if (!replica) continue;
        if (kind === "exchange") void replica.rooms.exchange();
        else if (kind === "drain") replica.rooms.drain();
        else if (kind === "wait") await vi.advanceTimersByTimeAsync(1);
        else {
          const caller = `caller ${"caller" in rest ? rest.caller : 0}`;
          sent.push(
            replica.send(caller).then(
              () => caller,
              () => undefined,
            ),
          );
        }
      }
      const answered = (await Promise.all(sent)).filter((caller) => caller !== undefined);
      const served = replicas.flatMap((replica) => replica.served);
      expect(served.toSorted()).toEqual(answered.toSorted());
      for (const caller of new Set(answered)) {
        expect(replicas.filter((replica) => replica.served.includes(caller))).toHaveLength(1);
      }
      for (const { callers } of replicas) expect(callers().length).toBeLessThanOrEqual(2);
      await fleet.close();
    }),
    { numRuns: 200 },
  );
});

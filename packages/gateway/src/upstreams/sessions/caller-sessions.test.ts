// The sessions of each caller, compared with a plain count.
import fc from "fast-check";
import { expect, it } from "vitest";
import { CallerSessions } from "./caller-sessions.ts";
import { Session } from "./session.ts";

const never = new Promise<never>(() => {});
const sessionOf = (callerId: string | undefined, id: number) =>
  new Session({ value: `${id}`, callerId }, never, `${id}`);

it("knows the sessions of each caller, and the number of the caller with most, after any changes", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ session: fc.nat(11), isAdded: fc.boolean() }), { maxLength: 60 }), (steps) => {
      const all = Array.from({ length: 12 }, (_, id) => sessionOf(`c${id % 3}`, id));
      const callers = new CallerSessions();
      const held = new Set<Session>();
      for (const { session, isAdded } of steps) {
        const one = all[session] as Session;
        if (isAdded === held.has(one)) continue;
        if (isAdded) held.add(one);
        else held.delete(one);
        if (isAdded) callers.add(one);
        else callers.remove(one);
        const counts = ["c0", "c1", "c2"].map(
          (caller) => [...held].filter(({ key }) => key.callerId === caller).length,
        );
        expect(["c0", "c1", "c2"].map((caller) => callers.of(caller).size)).toEqual(counts);
        expect(callers.most).toBe(Math.max(...counts));
      }
    }),
  );
});

it("counts no sessions of callers without identity", () => {
  const callers = new CallerSessions();
  const session = sessionOf(undefined, 1);
  callers.add(session);
  callers.remove(session);
  callers.add(session);
  expect([callers.of(undefined).size, callers.most]).toEqual([0, 0]);
});

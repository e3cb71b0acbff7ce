// The order of idle sessions, compared with a plain list.
import fc from "fast-check";
import { expect, it } from "vitest";
import { IdleOrder, type Idler } from "./idle-order.ts";

class Member implements Idler<Member> {
  idleForLonger: Member | undefined = undefined;
  idleForLess: Member | undefined = undefined;
}

it("keeps its members in the order in which they were added, whichever are removed", () => {
  const step = fc.record({ member: fc.nat(7), isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const members = Array.from({ length: 8 }, () => new Member());
      const order = new IdleOrder<Member>();
      let list: Member[] = [];
      for (const { member, isAdded } of steps) {
        const one = members[member] as Member;
        order.remove(one);
        list = list.filter((other) => other !== one);
        if (!isAdded) continue;
        order.add(one);
        list.push(one);
      }
      expect([...order]).toEqual(list);
    }),
  );
});

it("continues with the next member after the one at hand is removed", () => {
  const order = new IdleOrder<Member>();
  const members = [new Member(), new Member(), new Member()];
  for (const member of members) order.add(member);
  const seen: Member[] = [];
  for (const member of order) {
    seen.push(member);
    order.remove(member);
  }
  expect(seen).toEqual(members);
  expect([...order]).toEqual([]);
});

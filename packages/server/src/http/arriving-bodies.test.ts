// Which body makes room for a new one: the one that has been arriving for longest, if it is slow.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArrivingBodies, type ArrivingBody } from "./arriving-bodies.ts";

function setUp() {
  const clock = { now: 0 };
  const bodies = new ArrivingBodies(() => clock.now);
  const dropped: string[] = [];
  function add(name: string): ArrivingBody {
    const body: ArrivingBody = {
      ...{ older: undefined, newer: undefined, since: -1 },
      makeRoom() {
        dropped.push(name);
        bodies.delete(body);
      },
    };
    bodies.add(body);
    return body;
  }
  return { clock, bodies, dropped, add };
}

describe("arriving bodies", () => {
  it("make room oldest first, and only after a second", () => {
    const { clock, bodies, dropped, add } = setUp();
    expect(bodies.dropSlowest()).toBe(false);
    add("first");
    clock.now = 999;
    add("second");
    expect(bodies.dropSlowest()).toBe(false);
    clock.now = 1_000;
    expect([bodies.dropSlowest(), bodies.dropSlowest()]).toEqual([true, false]);
    clock.now = 5_000;
    expect([bodies.dropSlowest(), bodies.dropSlowest()]).toEqual([true, false]);
    expect(dropped).toEqual(["first", "second"]);
  });

  it("keep their order through any sequence of additions and deletions", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20))), (steps) => {
        const { clock, bodies, dropped, add } = setUp();
        const open: { name: string; body: ArrivingBody }[] = [];
        for (const [index, at] of steps.entries()) {
          const name = `body ${index}`;
          if (at === null) open.push({ name, body: add(name) });
          else for (const { body } of open.splice(at, 1)) bodies.delete(body);
        }
        clock.now = 1_000;
        while (bodies.dropSlowest());
        expect(dropped).toEqual(open.map(({ name }) => name));
      }),
    );
  });

  it("ignore the deletion of a body that is not in the list", () => {
    const { clock, bodies, dropped, add } = setUp();
    const gone = add("gone");
    add("other");
    bodies.delete(gone);
    bodies.delete(gone);
    clock.now = 1_000;
    while (bodies.dropSlowest());
    expect(dropped).toEqual(["other"]);
  });
});

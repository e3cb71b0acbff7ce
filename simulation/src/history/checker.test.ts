import { expect, it } from "vitest";
import type { Call } from "../replicas/call.ts";
import { redisMachine, World } from "../world/world.ts";
import { Checker, type Owner } from "./checker.ts";

const call: Call = { id: "1", caller: "ann", session: "s", kind: "count", waitMs: 0 };
const next: Owner = { name: "b2", machine: "b", isAlone: false, holds: () => true };

function violationsOf(first: Partial<Owner>, cuts: readonly (readonly [string, string])[]): number {
  const world = new World(1);
  for (const [from, to] of cuts) world.path(from, to).cut();
  const owner: Owner = { name: "a1", machine: "a", isAlone: true, holds: () => true, ...first };
  new Checker(world).begin(call, "b2.1", next, [owner]);
  return world.violations.length;
}

/** Sees two owners that neither network connects, and leaves the networks cut. */
function divide() {
  const world = new World(1);
  for (const [from, to] of [
    ["a", redisMachine],
    ["b", "a"],
  ] as const)
    world.path(from, to).cut();
  const lone: Owner = { name: "a1", machine: "a", isAlone: true, holds: () => true };
  const third: Owner = { name: "c1", machine: "c", isAlone: false, holds: () => true };
  const checker = new Checker(world);
  const begin = (id: string, owner: Owner, others: readonly Owner[]) =>
    checker.begin({ ...call, id }, `${owner.name}.1`, owner, others);
  begin("1", lone, []);
  begin("2", next, [lone]);
  return { violations: world.violations, begin, lone, third };
}

it("two owners that no network connects may both serve a session, and no third one beside either of them", () => {
  const { violations, begin, lone, third } = divide();
  begin("3", lone, [next]);
  begin("4", next, [lone]);
  expect(violations).toEqual([]);
  begin("5", third, [next]);
  expect(violations).toHaveLength(1);
});

it("the state of one of two owners that no network connects is lost when a third owner has served a newer one", () => {
  const { violations, begin, lone, third } = divide();
  begin("3", third, []);
  begin("4", lone, []);
  expect(violations).toHaveLength(1);
});

it("a session with two owners is a violation, unless one is alone and both networks by which it could learn of the other are cut", () => {
  const bothCut = [
    ["a", redisMachine],
    ["b", "a"],
  ] as const;
  expect(violationsOf({}, [])).toBe(1);
  expect(violationsOf({}, [bothCut[0]])).toBe(1);
  expect(violationsOf({}, [bothCut[1]])).toBe(1);
  expect(violationsOf({ isAlone: false }, bothCut)).toBe(1);
  expect(violationsOf({ holds: () => false }, [])).toBe(0);
  expect(violationsOf({}, bothCut)).toBe(0);
});

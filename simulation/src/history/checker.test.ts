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

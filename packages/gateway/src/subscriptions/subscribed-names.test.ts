import { expect, it } from "vitest";
import { SubscribedNames } from "./subscribed-names.ts";

it("knows the names of a resource while a stream has subscribed under them, and none afterwards", () => {
  const names = new SubscribedNames();
  const plain = new Map([["x:/1", ["x:/1"]]]);
  const both = new Map([["x:/1", ["x:/1", "a+x:/1"]]]);
  names.join(plain);
  names.join(both);
  expect([...names.of("x:/1")]).toEqual(["x:/1", "a+x:/1"]);
  names.leave(both);
  expect([...names.of("x:/1")]).toEqual(["x:/1"]);
  names.leave(plain);
  expect([[...names.of("x:/1")], names.size]).toEqual([[], 0]);
});

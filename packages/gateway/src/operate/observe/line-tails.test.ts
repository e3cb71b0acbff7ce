import { expect, it } from "vitest";
import { createLineTails } from "./line-tails.ts";

it("the last lines of each upstream are kept, and no more", () => {
  const tails = createLineTails(2);
  for (const line of ["1", "2", "3"]) tails.add("a", line);
  tails.add("b", "4");
  expect([tails.of("a"), tails.of("b"), tails.of("c")]).toEqual([["2", "3"], ["4"], []]);
});

it("a long line is cut", () => {
  const tails = createLineTails();
  tails.add("a", "x".repeat(2_000));
  tails.add("a", "x".repeat(2_001));
  expect(tails.of("a")).toEqual(["x".repeat(2_000), `${"x".repeat(2_000)}…`]);
});

it("those of upstreams that are gone are forgotten", () => {
  const tails = createLineTails();
  for (const upstream of ["a", "b"]) tails.add(upstream, "1");
  tails.keep(["b"]);
  expect([tails.of("a"), tails.of("b")]).toEqual([[], ["1"]]);
});

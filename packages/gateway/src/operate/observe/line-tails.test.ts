import { expect, it } from "vitest";
import { createLineTails } from "./line-tails.ts";

it("keeps only the last lines of each upstream", () => {
  const tails = createLineTails(2);
  for (const line of ["1", "2", "3"]) tails.add("a", line);
  tails.add("b", "4");
  expect([tails.of("a"), tails.of("b"), tails.of("c")]).toEqual([["2", "3"], ["4"], []]);
});

it("truncates a long line", () => {
  const tails = createLineTails();
  tails.add("a", "x".repeat(2_000));
  tails.add("a", "x".repeat(2_001));
  expect(tails.of("a")).toEqual(["x".repeat(2_000), `${"x".repeat(2_000)}…`]);
});

it("forgets the lines of removed upstreams", () => {
  const tails = createLineTails();
  for (const upstream of ["a", "b"]) tails.add(upstream, "1");
  tails.keep(new Set(["b"]));
  expect([tails.of("a"), tails.of("b")]).toEqual([[], ["1"]]);
});

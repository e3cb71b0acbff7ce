// The help page of every command stays short enough to read.
import { expect, it } from "vitest";
import { runLethe } from "../processes/lethe.ts";

it("each help page has at most three examples", async () => {
  const { stdout } = await runLethe("--help");
  const names = [...stdout.matchAll(/^ {2}([a-z]+) .*\S {2,}\S/gm)].map(([, name]) => name as string);
  expect(names).toEqual(expect.arrayContaining(["gateway", "probe", "compare", "call", "list", "install"]));
  const pages = await Promise.all(names.map((name) => runLethe(name, "--help")));
  const counts = pages.map(({ stdout: page }, index) => [names[index], examplesIn(page)]);
  expect(counts.filter(([, count]) => Number(count) > 3)).toEqual([]);
  expect(counts).toContainEqual(["call", 3]);
});

/** Options of an example continue its line, so each line is an example. */
function examplesIn(page: string): number {
  const [, block = ""] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(page) ?? [];
  return block.split("\n").filter(Boolean).length;
}

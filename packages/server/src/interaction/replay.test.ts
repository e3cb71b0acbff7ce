import { expect, it } from "vitest";
import { createReplay } from "./replay.ts";

it("a response is what the client sent, and nothing that every object has or that says nothing (E-29)", () => {
  const replay = createReplay(undefined, { name: { action: "accept" }, nothing: null });
  expect(replay.responseTo("name")).toEqual({ action: "accept" });
  for (const key of ["constructor", "toString", "nothing", "other"]) expect(replay.responseTo(key)).toBeUndefined();
});

it("to a question that was not asked in the last round there is none (E-29)", () => {
  const asked = [{ key: "name", digest: "d" }];
  const journal = { v: 1, mark: "", round: 1, entries: [], asked } as const;
  const replay = createReplay(journal, { name: 1, other: 2 });
  expect([replay.responseTo("name"), replay.responseTo("other")]).toEqual([1, undefined]);
});

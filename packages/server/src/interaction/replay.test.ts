import { expect, it } from "vitest";
import { createReplay } from "./replay.ts";

it("returns only the responses that the client sent, without inherited or empty ones (E-29)", () => {
  const replay = createReplay(undefined, { name: { action: "accept" }, nothing: null });
  expect(replay.responseTo("name")).toEqual({ action: "accept" });
  for (const key of ["constructor", "toString", "nothing", "other"]) expect(replay.responseTo(key)).toBeUndefined();
});

it("returns no response for an input request that was not part of the last round (E-29)", () => {
  const asked = [{ key: "name", digest: "d" }];
  const journal = { v: 1, mark: "", round: 1, entries: [], asked } as const;
  const replay = createReplay(journal, { name: 1, other: 2 });
  expect([replay.responseTo("name"), replay.responseTo("other")]).toEqual([1, undefined]);
});

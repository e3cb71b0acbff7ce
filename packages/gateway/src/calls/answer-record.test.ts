import { expect, test } from "vitest";
import { addAnswers, Playback } from "./answer-record.ts";

test("does not record answers to input requests that were never sent", () => {
  const record = { asked: { a: "digest a", b: "digest b" }, answers: {} };
  expect(addAnswers(record, { a: { action: "accept" }, b: 1 })).toEqual({ "digest a": [{ action: "accept" }] });
  expect(addAnswers(record, {})).toEqual({});
});

test("replays each recorded answer once, in order, and leaves unknown input requests open", () => {
  const playback = new Playback({ d: [{ n: 1 }, { n: 2 }] });
  expect(playback.answer({ x: "d", y: "other" })).toEqual({ x: { n: 1 } });
  expect(playback.answer({ z: "d" })).toEqual({ z: { n: 2 } });
  expect(playback.answer({ z: "d" })).toBeUndefined();
});

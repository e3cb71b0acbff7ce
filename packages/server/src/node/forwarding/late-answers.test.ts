// How long, how many and how large answers are kept to be sent again.
import { MemoryBudget } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import { LateAnswers } from "./late-answers.ts";
import type { Outcome } from "./message.ts";

const answer = (call: number, length = 0): Outcome => {
  const content = [{ type: "text", text: "x".repeat(length) }];
  return { kind: "result", call, result: { resultType: "complete", content } };
};

function setUp(maxBytes = 1_000_000) {
  const clock = createManualClock();
  const memory = new MemoryBudget(maxBytes);
  return { clock, memory, late: new LateAnswers(clock, 2_000, memory) };
}

test("an answer is kept for its time", async () => {
  const { clock, late } = setUp();
  late.keep("a 1", answer(1));
  await clock.advance(1_999);
  expect(late.get("a 1")).toEqual(answer(1));
  await clock.advance(1);
  expect(late.get("a 1")).toBeUndefined();
});

test("the oldest answer is dropped when there are more than 1,000", () => {
  const { late } = setUp();
  for (let call = 0; call <= 1_000; call += 1) late.keep(`a ${call}`, answer(call));
  expect([late.get("a 0"), late.get("a 1"), late.get("a 1000")]).toEqual([undefined, answer(1), answer(1_000)]);
});

test("the largest answers are dropped when together they exceed the budget for memory", () => {
  const { memory, late } = setUp(100_000);
  late.keep("a 1", answer(1, 60_000));
  late.keep("a 2", answer(2, 30_000));
  late.keep("a 3", answer(3, 20_000));
  expect([1, 2, 3].map((call) => late.get(`a ${call}`) !== undefined)).toEqual([false, true, true]);
  expect(memory.heldByKind.calls).toBeGreaterThan(50_000);
});

test("an answer takes nothing from the budget after its time, after it was forgotten, or after the end", async () => {
  const { clock, memory, late } = setUp();
  late.keep("a 1", answer(1, 10_000));
  late.keep("a 2", answer(2, 10_000));
  late.forget("a 1");
  expect(memory.heldBytes).toBeGreaterThan(10_000);
  await clock.advance(2_000);
  expect(memory.heldBytes).toBe(0);
  late.keep("a 3", answer(3, 10_000));
  late.clear();
  expect(memory.heldBytes).toBe(0);
});

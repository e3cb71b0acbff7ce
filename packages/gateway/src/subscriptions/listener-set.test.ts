import { afterEach, expect, it, vi } from "vitest";
import { createListenerSet } from "./listener-set.ts";

afterEach(() => void vi.useRealTimers());

it("notifies a listener once per event until it has left as often as it joined", () => {
  const audience = createListenerSet<string>();
  const heard: string[] = [];
  const listener = (told: string) => void heard.push(told);
  audience.join(listener);
  audience.join(listener);
  audience.tell("a");
  audience.leave(listener);
  audience.tell("b");
  expect(audience.isEmpty).toBe(false);
  audience.leave(listener);
  audience.tell("c");
  expect([heard, audience.isEmpty]).toEqual([["a", "b"], true]);
});

it("notifies thousands of listeners over several turns of the event loop, and merges equal events that wait", () => {
  vi.useFakeTimers();
  const audience = createListenerSet<string>();
  const heard: string[] = [];
  for (let joined = 0; joined < 1_200; joined += 1) audience.join((told) => void heard.push(told));
  for (const event of ["a", "b", "a", "b"]) audience.tell(event);
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    counts.push(heard.length);
    vi.advanceTimersToNextTimer();
  }
  expect(counts).toEqual([500, 1_000, 1_700]);
  vi.runAllTimers();
  expect(heard).toHaveLength(3 * 1_200);
  expect([heard[0], heard[1_200], heard[2_400]]).toEqual(["a", "b", "a"]);
});

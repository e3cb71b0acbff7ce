import { expect, it } from "vitest";
import { createListenerSet } from "./listener-set.ts";

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

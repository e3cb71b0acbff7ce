import { expect, it } from "vitest";
import { createCallerQuota } from "./caller-quota.ts";

it("a caller has no more than the bound, all of it or nothing, and another caller's is another's", () => {
  const quota = createCallerQuota(3);
  expect([quota.take("ann", 2), quota.take("ann", 2), quota.take("ann", 1), quota.take("bob", 3)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  quota.giveBack("ann", 2);
  expect([quota.take("ann", 3), quota.take("ann", 2)]).toEqual([false, true]);
});

it("callers without a name are not one", () => {
  const quota = createCallerQuota(1);
  expect([quota.take(undefined, 5), quota.take(undefined, 5)]).toEqual([true, true]);
  quota.giveBack(undefined, 5);
});

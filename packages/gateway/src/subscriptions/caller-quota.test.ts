import { expect, it } from "vitest";
import { createCallerQuota } from "./caller-quota.ts";

it("reserves all or nothing within the limit of each caller", () => {
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

it("does not count anonymous callers as one caller", () => {
  const quota = createCallerQuota(1);
  expect([quota.take(undefined, 5), quota.take(undefined, 5)]).toEqual([true, true]);
  quota.giveBack(undefined, 5);
});

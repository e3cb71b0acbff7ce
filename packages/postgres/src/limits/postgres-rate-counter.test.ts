import { expect, test, vi } from "vitest";
import { NotRunError } from "../connection/postgres-error.ts";
import { createPostgresRateCounter } from "./postgres-rate-counter.ts";

test("warns with the reason of a PostgreSQL that answers and does not count", async () => {
  const onWarning = vi.fn();
  const run = () => Promise.reject(new NotRunError('too many connections for role "few"', { code: "53300" }));
  const counter = createPostgresRateCounter({ prefix: "own:", run }, { onWarning });
  expect(await counter.take("ann", { max: 5, windowMs: 60_000 })).toBe(0);
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    'PostgreSQL does not count requests (too many connections for role "few"): each process counts alone until it does',
  );
});

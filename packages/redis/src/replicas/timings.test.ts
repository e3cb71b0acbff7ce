import { expect, test } from "vitest";
import { toTimings } from "./timings.ts";

test("by default a killed replica is found within a second and a frozen one within three", () => {
  const { leaseMs, validMs, marginMs, heartbeatMs, quietMs } = toTimings({});
  expect({ leaseMs, validMs, heartbeatMs }).toEqual({ leaseMs: 2_500, validMs: 700, heartbeatMs: 250 });
  expect(validMs + marginMs).toBeLessThan(1_000);
  expect(leaseMs).toBeLessThan(3_000);
  expect(quietMs).toBeGreaterThan(leaseMs);
});

test.each([
  [{ leaseMs: 49 }, "leaseMs"],
  [{ leaseMs: 2_500.5 }, "leaseMs"],
  [{ validMs: 700.5 }, "validMs"],
  [{ heartbeatMs: 0 }, "heartbeatMs"],
  [{ heartbeatMs: 400 }, "heartbeatMs"],
  [{ validMs: 2_100 }, "validMs"],
  [{ rememberMs: 9_999 }, "rememberMs"],
])("rejects %j, which contradicts the other times", (options, name) => {
  expect(() => toTimings(options)).toThrow(name);
});

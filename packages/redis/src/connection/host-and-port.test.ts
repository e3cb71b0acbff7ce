import { expect, test } from "vitest";
import { toReachableAddress } from "./host-and-port.ts";

test.each([
  ["0.0.0.0", "10.0.0.5", "10.0.0.5:7411"],
  ["0.0.0.0", "::ffff:10.0.0.5", "10.0.0.5:7411"],
  ["::", "10.0.0.5", "10.0.0.5:7411"],
  ["::", "fd00::5", "[fd00::5]:7411"],
  ["fd00::5", "10.0.0.5", "[fd00::5]:7411"],
])("a listener on %s is reachable from a machine with the local address %s at %s", (host, local, expected) => {
  expect(toReachableAddress({ host, port: 7411 }, local)).toBe(expected);
});

test("a listener on all IPv4 addresses is at no known address while Redis is reached over IPv6", () => {
  expect(toReachableAddress({ host: "0.0.0.0", port: 7411 }, "fd00::5")).toBeUndefined();
  expect(toReachableAddress({ host: "0.0.0.0", port: 7411 }, undefined)).toBeUndefined();
});

import { expect, test } from "vitest";
import { toOrigin } from "./origin.ts";

test.each([
  [undefined, {}, {}],
  ["10.0.0.1", {}, { remoteAddress: "10.0.0.1" }],
  [
    "10.0.0.1",
    { "x-forwarded-for": "203.0.113.7, 10.0.0.9" },
    { remoteAddress: "10.0.0.1", forwardedFor: "203.0.113.7, 10.0.0.9" },
  ],
  [undefined, { "x-forwarded-for": "x".repeat(10_000) }, { forwardedFor: "x".repeat(256) }],
])("records the origin of a request from %s with %j", (remoteAddress, headers, expected) => {
  const read = (name: string) => (headers as Record<string, string>)[name];
  expect(toOrigin({ remoteAddress, headers: read })).toEqual(expected);
});

import { expect, test } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { isUnsent, toTransportError } from "./to-transport-error.ts";

const withCode = (code: string) => Object.assign(new Error(`it says ${code}`), { code });

test.each([
  [withCode("ECONNREFUSED"), "unreachable"],
  [withCode("ENOTFOUND"), "unreachable"],
  [withCode("CERT_HAS_EXPIRED"), "unreachable"],
  [withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), "unreachable"],
  [new TypeError("fetch failed", { cause: withCode("ECONNREFUSED") }), "unreachable"],
  [new AggregateError([withCode("ECONNREFUSED"), withCode("ENETUNREACH")]), "unreachable"],
  [withCode("ECONNRESET"), "lost"],
  [Object.assign(withCode("ETIMEDOUT"), { syscall: "connect" }), "unreachable"],
  [Object.assign(withCode("ETIMEDOUT"), { syscall: "read" }), "lost"],
  [new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }), "lost"],
  ["a string", "lost"],
])("%s is %s", (thrown, reason) => {
  const error = toTransportError("tools/call to s", thrown);
  expect(error).toMatchObject({ reason, cause: thrown });
  expect(error.message).toMatch(/^tools\/call to s: /);
});

test("a TransportError is kept, and one from a limit gets the name of its request", () => {
  const timeout = new TransportError("timeout", "tools/call to s: silence");
  expect(toTransportError("tools/call to s", timeout)).toBe(timeout);
  const large = toTransportError("tools/call to s", new TransportError("too_large", "more than 5 bytes"));
  expect(large.message).toBe("tools/call to s: more than 5 bytes");
});

test.each([
  [true, toTransportError("tools/call to s", withCode("ECONNREFUSED"))],
  [true, toTransportError("tools/call to s", new TypeError("fetch failed", { cause: withCode("ENETUNREACH") }))],
  [true, new TransportError("busy", "other calls may ask")],
  [false, toTransportError("tools/call to s", withCode("CERT_HAS_EXPIRED"))],
  [false, toTransportError("tools/call to s", withCode("EPROTO"))],
  [false, toTransportError("tools/call to s", withCode("ECONNRESET"))],
  [false, new TransportError("timeout", "silence")],
])("isUnsent is %s for a request that failed with: %s", (isCertain, error) => {
  expect(isUnsent(error)).toBe(isCertain);
});

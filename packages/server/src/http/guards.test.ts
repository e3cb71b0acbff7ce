// Host and Origin (B-2, B-3): parsed, and compared as complete names.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGuard, isLoopbackName, parseHost } from "./guards.ts";
import { fillHttpOptions } from "./http-options.ts";

const loopback = createGuard(fillHttpOptions({}), true);
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const name = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const port = fc.option(fc.integer({ min: 1, max: 65_535 }).map(String), { nil: undefined });

describe("parseHost", () => {
  it("splits every host into name and port as the URL standard does", () => {
    fc.assert(
      fc.property(name, port, (host, number) => {
        const text = number === undefined ? host : `${host}:${number}`;
        expect(parseHost(text.toUpperCase())).toEqual({ name: host.toLowerCase(), port: number ?? "" });
      }),
    );
  });

  it("accepts only hosts that mean the same host in a URL", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webAuthority({ withUserInfo: true, withPort: true })), (text) => {
        const parsed = parseHost(text);
        if (parsed && isLoopbackName(parsed.name)) expect(new URL(`http://${text}/`).hostname).toBe(parsed.name);
      }),
    );
  });

  it.each([
    "",
    " localhost",
    "localhost ",
    "user@localhost",
    "localhost/",
    "localhost:",
    "localhost:1:2",
    "::1",
    "[::1",
    "localhost#",
    "a\\localhost",
    "localhost:123456",
    "lo calhost",
  ])("%j is not a host", (text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

describe("the guard of a loopback connection", () => {
  it("allows exactly the three loopback names, with any port (B-3)", () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom(...loopbackNames)), port, (host, number) => {
        const text = number === undefined ? host : `${host}:${number}`;
        expect(loopback(text, undefined) === undefined).toBe(loopbackNames.includes(host.toLowerCase()));
      }),
    );
  });

  it("rejects names that start or end with a loopback name (B-3)", () => {
    fc.assert(
      fc.property(fc.constantFrom(...loopbackNames), fc.domain(), (local, domain) => {
        for (const host of [`${local}.${domain}`, `${domain}.${local}`, `${local}-${domain}`, `${local}@${domain}`]) {
          expect(loopback(host, undefined)).toContain("host not allowed");
          expect(loopback("localhost", `http://${host}`)).toContain("origin not allowed");
        }
      }),
    );
  });

  it("rejects a request without a host, and does not remember a rejected host", () => {
    expect(loopback(undefined, undefined)).toBe('host not allowed: "none"');
    expect(loopback("localhost", undefined)).toBeUndefined();
    expect(loopback("evil.example", undefined)).toBe('host not allowed: "evil.example"');
    expect(loopback("evil.example", undefined)).toBe('host not allowed: "evil.example"');
  });

  it("shortens a long name in the answer", () => {
    expect(loopback("x".repeat(10_000), undefined)?.length).toBeLessThan(150);
  });
});

it("the guard of other connections allows any host name unless names are configured (B-4)", () => {
  const open = createGuard(fillHttpOptions({}), false);
  expect(open("tools.example", undefined)).toBeUndefined();
  expect(open(undefined, undefined)).toBeUndefined();
  const listed = createGuard(fillHttpOptions({ allowedHosts: ["tools.example"] }), false);
  expect(listed("localhost", undefined)).toContain("host not allowed");
});

// Host and origin names (B-2, B-3): parsed, compared whole.
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
  it("name and port of every host come apart as the URL standard has it", () => {
    fc.assert(
      fc.property(name, port, (host, number) => {
        const text = number === undefined ? host : `${host}:${number}`;
        expect(parseHost(text.toUpperCase())).toEqual({ name: host.toLowerCase(), port: number ?? "" });
      }),
    );
  });

  it("what it takes for a host means the same host in a URL", () => {
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
  ])("%j is no host", (text) => {
    expect(parseHost(text)).toBeUndefined();
  });
});

describe("the guard of a loopback connection", () => {
  it("serves exactly the three loopback names, with any port (B-3)", () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.constantFrom(...loopbackNames)), port, (host, number) => {
        const text = number === undefined ? host : `${host}:${number}`;
        expect(loopback(text, undefined) === undefined).toBe(loopbackNames.includes(host.toLowerCase()));
      }),
    );
  });

  it("is not fooled by a loopback name at either end of another (B-3)", () => {
    fc.assert(
      fc.property(fc.constantFrom(...loopbackNames), fc.domain(), (local, domain) => {
        for (const host of [`${local}.${domain}`, `${domain}.${local}`, `${local}-${domain}`, `${local}@${domain}`]) {
          expect(loopback(host, undefined)).toContain("host not allowed");
          expect(loopback("localhost", `http://${host}`)).toContain("origin not allowed");
        }
      }),
    );
  });

  it("a request without a host is refused, and a refused host does not become a known one", () => {
    expect(loopback(undefined, undefined)).toBe('host not allowed: "none"');
    expect(loopback("localhost", undefined)).toBeUndefined();
    expect(loopback("evil.example", undefined)).toBe('host not allowed: "evil.example"');
    expect(loopback("evil.example", undefined)).toBe('host not allowed: "evil.example"');
  });

  it("a name of any length stays short in the answer", () => {
    expect(loopback("x".repeat(10_000), undefined)?.length).toBeLessThan(150);
  });
});

it("a connection from elsewhere may use any host name unless some are listed (B-4)", () => {
  const open = createGuard(fillHttpOptions({}), false);
  expect(open("tools.example", undefined)).toBeUndefined();
  expect(open(undefined, undefined)).toBeUndefined();
  const listed = createGuard(fillHttpOptions({ allowedHosts: ["tools.example"] }), false);
  expect(listed("localhost", undefined)).toContain("host not allowed");
});

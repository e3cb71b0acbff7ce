// Which client address a request counts for behind reverse proxies: only trusted proxies are believed.
import { describe, expect, it } from "vitest";
import { createTrustedProxies } from "./client-address.ts";

describe("the client address", () => {
  const { clientAddress } = createTrustedProxies(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"]);

  it.each([
    ["of a connection from elsewhere is its own", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
    ["of a connection from a proxy is the forwarded one", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["is the last entry that is no proxy", "10.1.2.3", "1.1.1.1, 198.51.100.1, 192.0.2.1", "198.51.100.1"],
    ["is known through an IPv4-mapped connection", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1"],
    ["is known through an IPv6 proxy", "2001:db8::1", "2001:db9::7", "2001:db9::7"],
    ["may have a port", "10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["may have brackets", "10.1.2.3", "[2001:db9::7]:4711", "2001:db9::7"],
    ["is that of the proxy without the header", "10.1.2.3", undefined, "10.1.2.3"],
    ["is that of the nearest proxy before an entry that is no address", "10.1.2.3", "evil, 10.9.9.9", "10.9.9.9"],
    ["is that of the proxy when the header is empty", "10.1.2.3", "", "10.1.2.3"],
    ["is the first proxy when all are trusted", "10.1.2.3", "10.0.0.1,10.0.0.2", "10.0.0.1"],
    ["is unknown when the connection has none", undefined, "198.51.100.1", undefined],
  ])("%s", (_name, remote, forwarded, expected) => {
    expect(clientAddress(remote, forwarded)).toBe(expected);
  });

  it("is found in linear time in a long header", () => {
    expect(clientAddress("10.1.2.3", `${"1.1.1.1,".repeat(200_000)}${"10.0.0.1,".repeat(200_000)}10.0.0.2`)).toBe(
      "1.1.1.1",
    );
  });
});

it.each(["proxy.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "", "2001:db8::/129"])(
  "%j is rejected as a trusted proxy",
  (proxy) => {
    expect(() => createTrustedProxies([proxy])).toThrow(`got "${proxy}"`);
  },
);

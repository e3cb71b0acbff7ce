// Which requests go through the proxy that the environment names.
import { describe, expect, test } from "vitest";
import { forwardProxiesOf } from "./forward-proxy.ts";

const environment = { HTTPS_PROXY: "http://secure.proxy:3128", HTTP_PROXY: "http://plain.proxy:8080" };
const originFor = (url: string, others: Record<string, string> = {}) =>
  forwardProxiesOf({ ...environment, ...others })(new URL(url))?.origin;

test("https and http URLs have the proxy of their variable", () => {
  expect(originFor("https://api.example/mcp")).toBe("http://secure.proxy:3128");
  expect(originFor("http://api.example/mcp")).toBe("http://plain.proxy:8080");
});

test("without variables, and with empty ones, all URLs are requested directly", () => {
  for (const none of [{}, { HTTPS_PROXY: "", https_proxy: " " }])
    expect(forwardProxiesOf(none)(new URL("https://api.example"))).toBeUndefined();
});

test("a lowercase variable wins over the uppercase one", () => {
  expect(originFor("https://api.example", { https_proxy: "http://lower.proxy" })).toBe("http://lower.proxy");
});

test("a value without a scheme names an http proxy, and the default port is 80", () => {
  expect(forwardProxiesOf({ HTTPS_PROXY: "proxy.corp:3128" })(new URL("https://a.example"))).toMatchObject({
    host: "proxy.corp",
    port: 3128,
  });
  expect(forwardProxiesOf({ HTTPS_PROXY: "http://[::1]" })(new URL("https://a.example"))).toMatchObject({
    host: "::1",
    port: 80,
  });
});

test("user and password of the proxy become a Basic header, with a literal percent sign as it is", () => {
  const authorizationOf = (proxy: string) =>
    forwardProxiesOf({ HTTPS_PROXY: proxy })(new URL("https://a.example"))?.authorization;
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  expect(authorizationOf("http://ann:a%40b@proxy.corp")).toBe(basic("ann:a@b"));
  expect(authorizationOf("http://ann:100%@proxy.corp")).toBe(basic("ann:100%"));
  expect(authorizationOf("http://ann@proxy.corp")).toBe(basic("ann:"));
  expect(authorizationOf("http://proxy.corp")).toBeUndefined();
});

test.each([
  "http://localhost:3000",
  "https://app.localhost",
  "http://127.0.0.1",
  "https://127.9.9.9",
  "http://[::1]:80",
])("this machine is reached directly: %s", (url) => {
  expect(originFor(url)).toBeUndefined();
});

describe("an entry of NO_PROXY", () => {
  test.each([
    ["a host", "corp.example", "https://corp.example"],
    ["a host, for its subdomains", "corp.example", "https://a.b.corp.example"],
    ["a host with a leading dot", ".corp.example", "https://a.corp.example"],
    ["a host with a leading wildcard", "*.corp.example", "https://a.corp.example"],
    ["a host in capitals", "Corp.Example", "https://corp.example"],
    ["a host with a port", "corp.example:8443", "https://corp.example:8443"],
    ["a host with the default port", "corp.example:443", "https://corp.example"],
    ["an address", "10.1.2.3", "http://10.1.2.3:8080"],
    ["an address with a port", "10.1.2.3:8080", "http://10.1.2.3:8080"],
    ["a range of addresses", "10.0.0.0/8", "http://10.200.1.1"],
    ["an IPv6 address", "fd00::5", "http://[fd00::5]:80"],
    ["an IPv6 address with a port", "[fd00::5]:8080", "http://[fd00::5]:8080"],
    ["an IPv6 range", "fd00::/8", "http://[fd12::1]"],
    ["all hosts", "*", "https://api.example"],
    ["one of several", "a.example, b.example c.example", "https://c.example"],
  ])("is %s: %s covers %s", (_, entry, url) => {
    expect(originFor(url, { NO_PROXY: entry })).toBeUndefined();
  });

  test.each([
    ["corp.example", "https://notcorp.example"],
    ["corp.example", "https://example"],
    ["corp.example:8443", "https://corp.example"],
    ["10.0.0.0/8", "http://11.0.0.1"],
    ["10.0.0.0/99", "http://10.0.0.1"],
    ["0.1", "http://10.0.0.1"],
    ["", "https://api.example"],
  ])("%s does not cover %s", (entry, url) => {
    expect(originFor(url, { NO_PROXY: entry })).toBeDefined();
  });
});

test.each([
  ["socks5://user:secret@proxy:1080", "got a URL with socks5://"],
  ["https://proxy", "got a URL with https://"],
  ["http://:secret:", "got a value that is not a URL"],
])("the proxy %s is refused, without its password", (text, problem) => {
  const find = () => forwardProxiesOf({ HTTPS_PROXY: text })(new URL("https://a.example"));
  const expected = "HTTPS_PROXY: an http URL such as http://proxy.example.com:3128 expected";
  expect(find).toThrow(new TypeError(`${expected}, ${problem}`));
});

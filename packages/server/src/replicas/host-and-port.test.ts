import { expect, it } from "vitest";
import { findAddressProblem, findDirectProblems, formatHostAndPort, parseHostAndPort } from "./host-and-port.ts";

it.each([
  ["10.0.0.5:7411", { host: "10.0.0.5", port: 7_411 }],
  ["Replica-1.example.com:80", { host: "replica-1.example.com", port: 80 }],
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["h:65535", { host: "h", port: 65_535 }],
  ["[::]:7411", { host: "::", port: 7_411 }],
  ["[fd00:0:0:0:0:0:0:1]:7411", { host: "fd00::1", port: 7_411 }],
])("%s is a host and a port", (address, expected) => {
  expect(parseHostAndPort(address)).toEqual(expected);
});

it.each([
  ...[
    "",
    "h",
    "h:",
    ":80",
    "h:-1",
    "h:65536",
    "h:70000",
    "h:07411",
    "h:80 ",
    "h:80/",
    "http://h:80",
    "u@h:80",
    "h?:80",
  ],
  ...["fd00::1:7411", "[fd00::1]", "[fd00::1:7411", "[fd00::g]:7411", "[fe80::1%eth0]:7411", "[h]:80", "[::1]:2:80"],
  ...["256.0.0.1:80", "010.0.0.1:80", "0x7f.1:80", "%68:80", `${"h".repeat(254)}:80`],
])('"%s" is no host and port', (address) => {
  expect(parseHostAndPort(address)).toBeUndefined();
});

it.each(["10.0.0.5:7411", "h.example.com:80", "[fd00::5]:0"])("%s is written as it was read", (address) => {
  const parsed = parseHostAndPort(address);
  expect(parsed && formatHostAndPort(parsed)).toBe(address);
});

it("the problem of a text names what was expected, and port 0 is only for listeners", () => {
  expect(findAddressProblem("h:0", 0)).toBeUndefined();
  expect(findAddressProblem("h:1", 1)).toBeUndefined();
  expect(findAddressProblem("h:0", 1)).toBe(
    'must be host:port with a port from 1 to 65535, such as 10.0.0.5:7411 or [fd00::5]:7411, got "h:0"',
  );
});

it("an address for others needs a listener whose port is known in advance", () => {
  expect(findDirectProblems("0.0.0.0:0", undefined)).toEqual([]);
  expect(findDirectProblems("0.0.0.0:7411", "h:9000")).toEqual([]);
  expect(findDirectProblems("0.0.0.0:0", "h:7411")).toEqual([
    ["address", expect.stringContaining("needs a fixed port")],
  ]);
  expect(findDirectProblems("h", "h").map(([key]) => key)).toEqual(["listen", "address"]);
});

import { describe, expect, it } from "vitest";
import { collectVariable, requireFitting, splitCommandLine } from "./target.ts";

describe("the command after --", () => {
  it("is taken as it stands, its own -- included", () => {
    expect(splitCommandLine(["call", "add", "--json", "--", "npx", "-y", "x", "--", "--json"])).toEqual({
      own: ["call", "add", "--json"],
      server: ["npx", "-y", "x", "--", "--json"],
    });
  });

  it("may be absent, but not empty", () => {
    expect(splitCommandLine(["list", "http://a"])).toEqual({ own: ["list", "http://a"], server: undefined });
    expect(() => splitCommandLine(["list", "--"])).toThrow('a command is expected after "--"');
  });
});

describe("--env", () => {
  it("sets a variable, or passes one on", () => {
    process.env.LETHE_TEST_VARIABLE = "here";
    expect(collectVariable("LETHE_TEST_VARIABLE", collectVariable("A=b=c"))).toEqual({
      A: "b=c",
      LETHE_TEST_VARIABLE: "here",
    });
    delete process.env.LETHE_TEST_VARIABLE;
  });

  it("a variable that there is not is refused by name", () => {
    expect(() => collectVariable("LETHE_NO_SUCH")).toThrow("--env LETHE_NO_SUCH: there is no such variable here");
    expect(() => collectVariable("toString")).toThrow("--env toString: there is no such variable here");
    expect(() => collectVariable("=x")).toThrow("--env must be NAME=value or NAME");
  });
});

describe("an option that would be left unused", () => {
  it.each([
    ["url", { env: {} }, '--env is for a server that is started by a command after "--"'],
    ["url", { verbose: true }, '--verbose is for a server that is started by a command after "--"'],
    ["command", { header: {} }, "--header is for a server at a URL; a command takes --env"],
    ["command", { login: true }, "--login is for a server at a URL"],
    ["command", { clientId: "x" }, "--client-id is for a server at a URL"],
    ["command", { redirectPort: 1 }, "--redirect-port is for a server at a URL"],
  ] as const)("for a server by %s: %j", (kind, given, message) => {
    expect(() => requireFitting(given, kind)).toThrow(message);
    expect(() => requireFitting(given, kind === "url" ? "command" : "url")).not.toThrow();
  });

  it("is not one that was not given", () => {
    expect(() => requireFitting({ header: undefined }, "command")).not.toThrow();
  });
});

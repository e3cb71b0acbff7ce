import { describe, expect, it } from "vitest";
import { collectVariable, requireFitting, splitCommandLine } from "./target.ts";

describe("the command after --", () => {
  it("the command after -- is used unchanged, including its own --", () => {
    expect(splitCommandLine(["call", "add", "--json", "--", "npx", "-y", "x", "--", "--json"])).toEqual({
      own: ["call", "add", "--json"],
      server: ["npx", "-y", "x", "--", "--json"],
    });
  });

  it("a command after -- may be absent but not empty", () => {
    expect(splitCommandLine(["list", "http://a"])).toEqual({ own: ["list", "http://a"], server: undefined });
    expect(() => splitCommandLine(["list", "--"])).toThrow('a command is expected after "--"');
  });
});

describe("--env", () => {
  it("--env sets a variable or passes one on", () => {
    process.env.LETHE_TEST_VARIABLE = "here";
    expect(collectVariable("LETHE_TEST_VARIABLE", collectVariable("A=b=c"))).toEqual({
      A: "b=c",
      LETHE_TEST_VARIABLE: "here",
    });
    delete process.env.LETHE_TEST_VARIABLE;
  });

  it("--env rejects a missing variable by name", () => {
    expect(() => collectVariable("LETHE_NO_SUCH")).toThrow("--env LETHE_NO_SUCH: no such variable in this environment");
    expect(() => collectVariable("toString")).toThrow("--env toString: no such variable in this environment");
    expect(() => collectVariable("=x")).toThrow("--env must be NAME=value or NAME");
  });
});

describe("an option without effect", () => {
  it.each([
    ["url", { env: {} }, '--env is for a server started by a command after "--"'],
    ["url", { verbose: true }, '--verbose is for a server started by a command after "--"'],
    ["command", { header: {} }, "--header is for a server at a URL; a command takes --env"],
    ["command", { login: true }, "--login is for a server at a URL"],
    ["command", { clientId: "x" }, "--client-id is for a server at a URL"],
    ["command", { redirectPort: 1 }, "--redirect-port is for a server at a URL"],
  ] as const)("for a server by %s, %j is rejected", (kind, given, message) => {
    expect(() => requireFitting(given, kind)).toThrow(message);
    expect(() => requireFitting(given, kind === "url" ? "command" : "url")).not.toThrow();
  });

  it("an absent option is not rejected", () => {
    expect(() => requireFitting({ header: undefined }, "command")).not.toThrow();
  });
});

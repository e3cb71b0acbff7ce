import { describe, expect, it } from "vitest";
import { collectVariable, splitCommandLine } from "./target.ts";

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
    expect(() => collectVariable("=x")).toThrow("--env must be NAME=value or NAME");
  });
});

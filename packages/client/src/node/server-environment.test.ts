// What a server process sees of our environment, on each platform.
import { describe, expect, it } from "vitest";
import { toServerEnvironment } from "./server-environment.ts";

const secrets = { AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "t" };

describe("the environment of a server", () => {
  it("is what a program needs to start, and none of our secrets", () => {
    const ours = { ...secrets, PATH: "/bin", HOME: "/root", SYSTEMROOT: "C:\\Windows" };
    expect(toServerEnvironment({}, ours, "linux")).toEqual({ PATH: "/bin", HOME: "/root" });
    expect(toServerEnvironment({}, ours, "win32")).toEqual({ PATH: "/bin", SYSTEMROOT: "C:\\Windows" });
  });

  it("is joined by what the server is given, which wins", () => {
    expect(toServerEnvironment({ HOME: "/srv", TOKEN: "given" }, { ...secrets, HOME: "/root" }, "linux")).toEqual({
      HOME: "/srv",
      TOKEN: "given",
    });
  });

  it("on Windows has one PATH, however it is spelled", () => {
    expect(toServerEnvironment({ Path: "C:\\given" }, { PATH: "C:\\ours" }, "win32")).toEqual({ Path: "C:\\given" });
    expect(toServerEnvironment({ Path: "/given" }, { PATH: "/ours" }, "linux")).toEqual({
      PATH: "/ours",
      Path: "/given",
    });
  });

  it("has no functions of a shell", () => {
    expect(toServerEnvironment({}, { SHELL: "() { :; }" }, "linux")).toEqual({});
  });
});

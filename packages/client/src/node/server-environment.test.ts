// What a server process sees of our environment, on each platform.
import { describe, expect, it } from "vitest";
import { toServerEnvironment } from "./server-environment.ts";

const secrets = { AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "t" };

describe("the environment of a server process", () => {
  it("a server gets the variables that it needs to start, and no secrets", () => {
    const ours = { ...secrets, PATH: "/bin", HOME: "/root", SYSTEMROOT: "C:\\Windows" };
    expect(toServerEnvironment({}, ours, "linux")).toEqual({ PATH: "/bin", HOME: "/root" });
    expect(toServerEnvironment({}, ours, "win32")).toEqual({ PATH: "/bin", SYSTEMROOT: "C:\\Windows" });
  });

  it("configured variables override inherited ones", () => {
    expect(toServerEnvironment({ HOME: "/srv", TOKEN: "given" }, { ...secrets, HOME: "/root" }, "linux")).toEqual({
      HOME: "/srv",
      TOKEN: "given",
    });
  });

  it("on Windows there is one PATH, in any spelling", () => {
    expect(toServerEnvironment({ Path: "C:\\given" }, { PATH: "C:\\ours" }, "win32")).toEqual({ Path: "C:\\given" });
    expect(toServerEnvironment({ Path: "/given" }, { PATH: "/ours" }, "linux")).toEqual({
      PATH: "/ours",
      Path: "/given",
    });
  });

  it("exported shell functions are not inherited", () => {
    expect(toServerEnvironment({}, { SHELL: "() { :; }" }, "linux")).toEqual({});
  });
});

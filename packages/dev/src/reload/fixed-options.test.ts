// Options that a reload cannot apply.
import { expect, it } from "vitest";
import type { LoadedServer } from "../channel/runner-messages.ts";
import { fixedOptionsOf, toRestartNotice } from "./fixed-options.ts";

const of = (serveOptions: object | undefined, legacyOptions: object) => {
  return fixedOptionsOf({ serveOptions, legacyOptions } as LoadedServer);
};

it("names each option of serve and of older clients that differs", () => {
  const before = of({ port: 3000, allowedHosts: ["a"] }, { sessions: "sealed" });
  expect(toRestartNotice(before, of({ port: 3000, allowedHosts: ["a"] }, { sessions: "sealed" }))).toBeUndefined();
  expect(toRestartNotice(before, of({ allowedHosts: ["b"] }, { sessions: "none" }))).toBe(
    "port of serve, allowedHosts of serve, legacy.sessions of createServer",
  );
});

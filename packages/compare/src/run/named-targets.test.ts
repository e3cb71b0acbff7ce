// The names of the targets of a comparison.
import { expect, it } from "vitest";
import { toNamedTargets } from "./named-targets.ts";

it("names each target once, and leaves the name out of the command to start", () => {
  const command = { command: "/usr/bin/server", args: ["--stdio"] };
  expect(toNamedTargets([{ ...command, name: "own" }, command, command])).toEqual([
    { name: "own", target: command },
    { name: "server", target: command },
    { name: "server (2)", target: command },
  ]);
});

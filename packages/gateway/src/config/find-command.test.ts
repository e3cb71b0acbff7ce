// Where the program of a server would be looked for, and that nothing but a program is taken for one.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CommandSurroundings, hasCommand } from "./find-command.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "bin", "a-folder"));
  for (const name of ["run", "run.CMD"]) {
    writeFileSync(join(folder, "bin", name), "");
    chmodSync(join(folder, "bin", name), 0o755);
  }
  writeFileSync(join(folder, "bin", "text"), "");
  chmodSync(join(folder, "bin", "text"), 0o644);
});
afterAll(() => rmSync(folder, { recursive: true }));

const found = (command: string, surroundings: Partial<CommandSurroundings> = {}) =>
  hasCommand(command, { cwd: folder, path: "/nowhere:bin", platform: "linux", ...surroundings });

it.each([
  ["run", {}, true],
  ["run", { path: "/nowhere" }, false],
  ["run", { path: "" }, false],
  ["bin/run", { path: "/nowhere" }, true],
  ["./bin/run", { cwd: "/nowhere" }, false],
  ["other", {}, false],
  ["text", {}, false],
  ["a-folder", {}, false],
  ["./bin/text", {}, false],
  ["./bin", {}, false],
])("finds %s with %j: %j", (command, surroundings, expected) => {
  expect(found(command, surroundings)).toBe(expected);
});

it("finds a full path regardless of PATH and working directory", () => {
  expect(found(join(folder, "bin", "run"), { cwd: "/nowhere", path: "" })).toBe(true);
});

it("reads an empty step of PATH as the working directory of the server", () => {
  expect(found("run", { cwd: join(folder, "bin"), path: ":/nowhere" })).toBe(true);
});

it("adds an extension on Windows and splits PATH at semicolons", () => {
  const windows = { platform: "win32", path: `C:\\nowhere;${join(folder, "bin")}` } as const;
  expect(found("run", { ...windows, extensions: ".EXE;.CMD" })).toBe(true);
  expect(found("text", { ...windows, extensions: ".EXE;.CMD" })).toBe(false);
});

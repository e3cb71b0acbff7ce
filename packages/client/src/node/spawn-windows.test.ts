// How server processes would be started and ended on Windows. Only arguments are looked at: nothing of it runs there.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killArguments } from "./process-group.ts";
import { toChildOptions } from "./spawn.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe-"));
  for (const name of ["npx.cmd", "server.exe"]) {
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What cross-spawn would hand to the system. It looks at the platform when it is loaded, so that is done elsewhere. */
function parsed(command: string, args: string[]): { command: string; args: string[]; options: object } {
  const code = `
    Object.defineProperty(process, "platform", { value: "win32" });
    const { default: crossSpawn } = await import("cross-spawn");
    const [command, args, options] = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(crossSpawn._parse(command, args, options)));
  `;
  const options = { env: { PATH: folder, PATHEXT: ".EXE;.CMD" } };
  const input = JSON.stringify([command, args, options]);
  const environment = { ...process.env, comspec: "cmd.exe" };
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", code, input], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      env: environment,
    }),
  );
}

describe("on Windows", () => {
  it("a .cmd shim is started by the shell, and its arguments contain nothing that the shell interprets (G-50)", () => {
    const { command, args, options } = parsed("npx", ["-y", "server", 'a "b" & calc.exe', "%PATH%", "x|y>z"]);
    expect(command).toBe("cmd.exe");
    expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
    expect(options).toMatchObject({ windowsVerbatimArguments: true });
    const line = args[3] ?? "";
    // A caret before each of them, so that they are characters and no commands.
    expect(line).not.toMatch(/(?<!\^)[&|<>%]/);
    expect(line).toContain("calc.exe");
  });

  it("other programs are started directly", () => {
    const { command, args } = parsed("server.exe", ["a & b"]);
    expect([command, args]).toEqual(["server.exe", ["a & b"]]);
  });

  it("a server gets no console, and stops with all its descendants", () => {
    expect(toChildOptions({ command: "npx", cwd: "C:\\x" }, "win32", { PATH: "p", SECRET: "s" })).toEqual({
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: "p" },
      detached: false,
      windowsHide: true,
      cwd: "C:\\x",
    });
    expect(toChildOptions({ command: "npx" }, "linux", {})).toMatchObject({ detached: true });
    expect(killArguments(42)).toEqual(["/pid", "42", "/T", "/F"]);
  });
});

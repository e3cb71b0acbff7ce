// The completion scripts in the shells themselves. zsh and fish are tested where they are installed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLethe } from "../processes/lethe.ts";

const folder = mkdtempSync(join(tmpdir(), "lethe-completion-"));
const allShells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof allShells)[number];
const shells = allShells.filter((shell) => shell === "bash" || !spawnSync(shell, ["--version"]).error);

beforeAll(async () => {
  for (const shell of shells) {
    const { code, stdout } = await runLethe("completion", shell);
    expect(code).toBe(0);
    writeFileSync(join(folder, shell), stdout);
  }
  writeFileSync(join(folder, "servers.json"), "{}");
});
afterAll(() => rmSync(folder, { recursive: true }));

const quote = (word: string) => `'${word}'`;

/** Prints the candidates for the last word. zsh completes only in its line editor, so its parts stand in for it. */
const programs: Readonly<Record<Shell, (words: readonly string[]) => string[]>> = {
  bash: (words) => {
    const variables = `COMP_WORDS=(${words.map(quote).join(" ")}); COMP_CWORD=${words.length - 1}`;
    return ["--norc", "-c", `source ./bash; ${variables}; _lethe; printf '%s\\n' "\${COMPREPLY[@]}"`];
  },
  zsh: (words) => {
    const editor =
      "compdef() { }; _files() { print FILES }; compadd() { shift; print -l -- $@ }; _describe() { print -l -- ${(P)2} }";
    const variables = `words=(${words.map(quote).join(" ")}); CURRENT=${words.length}`;
    return ["-fc", `${editor}; source ./zsh; ${variables}; _lethe`];
  },
  fish: (words) => ["--no-config", "-c", `source ./fish; complete -C ${quote(words.join(" "))}`],
};

/** Without descriptions, and only those that begin with the last word, as the shells show them. */
function complete(shell: Shell, ...words: string[]): string[] {
  const last = words.at(-1) ?? "";
  const text = execFileSync(shell, programs[shell](["lethe", ...words]), { cwd: folder, encoding: "utf8" });
  const lines = text.split("\n").map((line) => line.split(/[:\t]/)[0] ?? "");
  return lines.filter((line) => line !== "" && line.startsWith(last)).sort();
}

describe.each(shells)("completion in %s", (shell) => {
  it("completes commands", () => {
    expect(complete(shell, "ga")).toEqual(["gateway"]);
    expect(complete(shell, "")).toEqual(expect.arrayContaining(["add", "call", "completion", "gateway", "install"]));
  });

  it("completes subcommands", () => {
    expect(complete(shell, "gateway", "ch")).toEqual(["check"]);
  });

  it("completes the options of a command", () => {
    expect(complete(shell, "install", "--s")).toEqual(["--scope"]);
    expect(complete(shell, "call", "--answ")).toEqual(["--answer", "--answers"]);
    expect(complete(shell, "gateway", "check", "--conf")).toEqual(["--config"]);
  });

  it("completes the choices of options and arguments", () => {
    expect(complete(shell, "install", "--scope", "")).toEqual(["project", "user"]);
    expect(complete(shell, "install", "c")).toEqual(["claude-code", "claude-desktop", "codex", "cursor"]);
    expect(complete(shell, "completion", "b")).toEqual(["bash"]);
  });

  it("offers no command as the value of an option, so that files are completed", () => {
    const offered = complete(shell, "gateway", "--config", "");
    expect(offered).not.toContain("check");
  });

  it("leaves the command after -- to the shell", () => {
    expect(complete(shell, "call", "--", "--s")).toEqual([]);
  });
});

it("rejects an unknown shell", async () => {
  const { code, stderr } = await runLethe("completion", "tcsh");
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("bash, zsh, fish") });
});

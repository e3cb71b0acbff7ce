// Creates the completion script of a shell.
import type { Command } from "commander";
import { toBashScript } from "./bash.ts";
import { type CommandEntry, toCommandTable } from "./command-table.ts";
import { toFishScript } from "./fish.ts";
import { toZshScript } from "./zsh.ts";

type Shell = "bash" | "zsh" | "fish";

const scripts: Readonly<Record<Shell, (table: readonly CommandEntry[]) => string>> = {
  bash: toBashScript,
  zsh: toZshScript,
  fish: toFishScript,
};

export function toScript(shell: Shell, program: Command): string {
  return scripts[shell](toCommandTable(program));
}

// The commands, options and choices of the program, for completion scripts.
import type { Command } from "commander";

interface OptionEntry {
  /** For example "-o" and "--output". */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The values. Empty if any value is allowed; shells then complete files. */
  readonly choices: readonly string[];
}

export interface CommandEntry {
  /** "gateway check" for a subcommand, empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionEntry[];
  /** The values of its first argument. Empty if any value is allowed. */
  readonly choices: readonly string[];
}

/** Lists the program and all of its commands. */
export function toCommandTable(command: Command, path = ""): CommandEntry[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command).map(({ short, long, description, required, optional, argChoices }) => ({
    flags: [short, long].filter((flag) => flag !== undefined),
    description: toLine(description),
    takesValue: required || optional,
    choices: argChoices ?? [],
  }));
  const own: CommandEntry = {
    path,
    commands: commands.map((sub) => ({ name: sub.name(), description: toLine(sub.description()) })),
    options,
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  const below = command.commands.flatMap((sub) => toCommandTable(sub, `${path} ${sub.name()}`.trim()));
  return [own, ...below];
}

function toLine(description: string): string {
  return description.replaceAll(/\s+/g, " ");
}

/** In single quotes, which bash, zsh and fish read alike apart from quotes and backslashes. */
export function quote(text: string, isFish = false): string {
  const inner = isFish ? text.replaceAll(/[\\']/g, "\\$&") : text.replaceAll("'", "'\\''");
  return `'${inner}'`;
}

// The reference of the `lethe` command: the help of every command, from its definition.
import type { Command } from "commander";
import { createProgram } from "../../../packages/cli/src/program.ts";

export function cliReference(): string {
  const program = createProgram();
  const intro =
    "Generated from the definitions of the commands. `lethe COMMAND --help` prints the same. [The lethe command](/packages/cli) explains arguments, input requests and exit codes.";
  return `# Command line\n\n${intro}\n\n${describe(program, "lethe")}`;
}

/** The command with its help, then each of its subcommands. */
function describe(command: Command, path: string): string {
  const heading = `## ${path}`;
  const own = `${heading}\n\n\`\`\`text\n${helpOf(command).trim()}\n\`\`\`\n`;
  const below = command.commands.map((sub) => describe(sub, `${path} ${sub.name()}`));
  return [own, ...below].join("\n");
}

/** Includes what addHelpText adds, such as examples and exit codes. */
function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 76,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

// lethe completion SHELL: prints a script that completes commands, options and files.
import { Argument, Command } from "commander";
import { exitCodeHelp } from "../exit-code.ts";

const help = `
Completes commands, options, their values, and files.

To load it in each new shell:
  bash   echo 'source <(lethe completion bash)' >> ~/.bashrc
  zsh    echo 'source <(lethe completion zsh)' >> ~/.zshrc     (after compinit)
  fish   lethe completion fish > ~/.config/fish/completions/lethe.fish
${exitCodeHelp()}`;

const shells = ["bash", "zsh", "fish"] as const;

/** The script describes the program that the command belongs to. */
export function createCompletionCommand(): Command {
  return new Command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", help)
    .action(async (shell: (typeof shells)[number], _options: unknown, command: Command) => {
      const { toScript } = await import("../completion/to-script.ts");
      process.stdout.write(toScript(shell, command.parent ?? command));
    });
}

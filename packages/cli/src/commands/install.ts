// lethe install CLIENT: adds a server to the settings of a client.
import { Argument, Command, Option } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { clients } from "../install/clients.ts";
import { collectHeader } from "./headers.ts";
import type { InstallOptions } from "./run-install.ts";
import { collectVariable } from "./target.ts";

const help = `
The change is shown first, and the former file stays beside it as FILE.lethe-backup. Comments are kept.
A client that starts the command has another working folder, so paths of files are made absolute.
claude-desktop takes only commands: for a URL it gets "lethe bridge".

Examples:
  lethe install claude-code -- node dist/main.js --stdio
  lethe install vscode http://localhost:3000/mcp --name tracker --scope project
  lethe install codex --dry-run -- npx -y @modelcontextprotocol/server-everything
${exitCodeHelp()}`;

/** `server` is the command after "--". */
export function createInstallCommand(server: readonly string[] | undefined): Command {
  const command = new Command("install")
    .description("add a server to the settings of a client, such as Claude Code or VS Code")
    .usage("[options] <client> <url>\n       lethe install [options] <client> -- <command> [args...]")
    // The command names them in its own error message. The choices are for completion.
    .addArgument(new Argument("<client>", "the client").choices(Object.keys(clients)).argParser((text) => text));
  if (!server) command.argument("[url]", "the URL of the server");
  return command
    .option("--name <name>", "the name of the server in the settings (default: from the URL or the command)")
    .addOption(
      new Option("--scope <scope>", "settings of the user, or of this folder")
        .choices(["user", "project"])
        .default("user"),
    )
    .option("--env <name=value>", "for a command: a variable of its environment; may be given again", collectVariable)
    .option("--header <name: value>", "for a URL: sent with every request; may be given again", collectHeader)
    .option("--yes", "write without asking")
    .option("--dry-run", "only show the change")
    .option("--undo", "restore the file from before the last change")
    .option("--json", "print what was done as JSON")
    .option("--home <folder>", "the home folder (default: that of the user)")
    .addHelpText("after", help)
    .action(async (client: string, ...rest: unknown[]) => {
      const { runInstall } = await import("./run-install.ts");
      const [url] = rest;
      const options = command.opts<InstallOptions>();
      await runInstall({ client, url: typeof url === "string" ? url : undefined, server }, options);
    });
}

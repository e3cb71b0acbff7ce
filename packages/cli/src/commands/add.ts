// lethe add NAME: adds a server of an MCP registry to a gateway's file or to a client.
import { Command, Option } from "commander";
import { exitCodeHelp } from "../exit-code.ts";
import { defaultRegistry } from "../registry/fetch-entry.ts";
import type { AddOptions } from "./run-add.ts";
import { collectVariable } from "./target.ts";

const help = `
Without --file and --client, the command only shows the entry: what it would start or reach, and which values it needs.

The entry is the author's. Check the command before you consent: the package that it names runs on this machine. Only npx,
uvx, docker and dnx are used, with the package as named and options that run nothing else.
In a gateway's file, required variables and secrets become references such as \${API_KEY} to its environment.

Examples:
  lethe add io.github.user/weather
  lethe add io.github.user/weather --client vscode --set API_KEY
  lethe add io.github.user/files --file servers.json --use oci --set path=/srv/files --yes
${exitCodeHelp(["unreachable", "the registry is unreachable, or answered with an error"])}`;

export function createAddCommand(): Command {
  return new Command("add")
    .description("add a server of the MCP registry to a gateway's file or to a client")
    .argument("<name>", "the name in the registry, such as io.github.user/weather")
    .option("--file <file>", "the file of a gateway; created if it does not exist")
    .option("--client <client>", "a client that `lethe install` knows")
    .addOption(
      new Option("--scope <scope>", "for --client: settings of the user, or of this folder")
        .choices(["user", "project"])
        .default("user"),
    )
    .option("--home <folder>", "for --client: the home folder (default: that of the user)")
    .addOption(
      new Option("--use <kind>", "which of its packages or remote servers (default: the first that works)").choices([
        ...["npm", "pypi", "oci", "nuget", "remote"],
      ]),
    )
    .option(
      "--set <name=value>",
      "a variable, argument or header that the entry asks for; NAME alone takes it from the environment",
      (text, before?: Record<string, string>) => collectVariable(text, before, "--set"),
    )
    .option("--version <version>", "the version of the server", "latest")
    .option("--registry <url>", "the URL of the registry", defaultRegistry)
    .option("--name <name>", "the name in the file (default: the part behind the slash)")
    .option("--yes", "write without asking")
    .option("--dry-run", "only show the change")
    .option("--json", "print what was done as JSON")
    .addHelpText("after", help)
    .action(async (name: string, options: AddOptions) => {
      const { runAdd } = await import("./run-add.ts");
      await runAdd(name, options);
    });
}
